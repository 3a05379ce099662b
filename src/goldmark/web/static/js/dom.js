// Building the page. Everything that comes from a unit or a person enters as text, never as HTML.
import { _ } from "./language.js";

/**
 * Make an element: h("button", {class: "primary", onclick: go}, "Go on"). Properties that start with "on" are
 * listeners, `true` sets an empty attribute, null, undefined and false set none. Children are elements or text.
 * @param {string} tag
 * @param {Record<string, any>} [properties]
 * @param {...any} children
 * @returns {HTMLElement}
 */
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, String(value));
  }
  element.append(
    ...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false),
  );
  return element;
}

/**
 * HTML that the server made from the protocol's Markdown and cleaned of everything active. The only place on
 * annotators' pages where HTML is read; nothing that a model or an annotator wrote comes through here.
 * @param {string} html
 */
export function cleanedHtml(html) {
  const parsed = new DOMParser().parseFromString(html, "text/html");
  for (const link of parsed.querySelectorAll("a[href]")) {
    link.target = "_blank";
    link.rel = "noopener noreferrer";
  }
  for (const heading of parsed.querySelectorAll("th"))
    if (!heading.textContent.trim()) heading.replaceWith(parsed.createElement("td"));
  const box = h("div", { class: "prose", dir: "auto" });
  box.append(...parsed.body.childNodes);
  return box;
}

let counter = 0;
/** An id that no other element of the page has. */
export const freshId = (stem) => `${stem}-${++counter}`;

/** Whether typing goes into this element, so that letter keys must be left alone. */
export function takesText(element) {
  if (!(element instanceof Element)) return false;
  if (element.matches("textarea, select, [contenteditable=true]")) return true;
  return element.matches("input") && !element.matches("[type=radio], [type=checkbox], [type=button]");
}

/** Say something to people who listen to the page; the region is emptied so that a repeated sentence is heard again. */
export function announce(words) {
  let region = document.getElementById("announcements");
  if (!region) {
    region = h("div", {
      id: "announcements",
      class: "sr-only",
      "aria-live": "polite",
      role: "log",
      "aria-label": _("Announcements"),
    });
    document.body.append(region);
  }
  region.replaceChildren(h("p", {}, words));
}

/**
 * A dialogue with a title and a close button; closing removes it and gives the focus back.
 * @param {string} title
 * @param {...any} content
 * @returns {HTMLDialogElement}
 */
export function openDialog(title, ...content) {
  const before = document.activeElement;
  const id = freshId("dialog");
  const close = h(
    "button",
    { type: "button", class: "quiet", onclick: () => dialog.close() },
    _("Close"),
    " ",
    h("kbd", {}, "Esc"),
  );
  const dialog = /** @type {HTMLDialogElement} */ (
    h(
      "dialog",
      { "aria-labelledby": id },
      h("header", {}, h("h2", { id }, h("bdi", {}, title)), close),
      h("div", { class: "body", tabindex: "0" }, ...content),
    )
  );
  dialog.addEventListener("close", () => {
    dialog.remove();
    if (before instanceof HTMLElement) before.focus({ preventScroll: true });
  });
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}
