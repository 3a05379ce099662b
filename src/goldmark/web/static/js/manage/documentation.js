// The contents are longer than the screen: begin where this page is.
const contents = document.querySelector(".manual > .contents");
const here = contents?.querySelector("[aria-current]");
if (here) contents.scrollTop = here.offsetTop - contents.offsetTop - contents.clientHeight / 2;
