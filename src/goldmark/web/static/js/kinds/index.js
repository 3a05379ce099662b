// Every kind of question the page knows; a new kind is a new module and a line here.
import "./best_worst.js";
import "./choice.js";
import "./spans.js";
import "./text.js";
