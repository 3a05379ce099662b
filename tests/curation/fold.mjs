// Reads cases with steps, folds each as the page does, and writes what they lead to.
import { readFileSync } from "node:fs";
import { fold } from "../../src/goldmark/web/static/js/curation/fold.js";

const cases = JSON.parse(readFileSync(0, "utf-8"));
process.stdout.write(JSON.stringify(cases.map((one) => fold(one.steps))));
