// What stands beside a text: a source or reference, data tables, links. All of it is shown as text.
import { freshId, h } from "../dom.js";
import { _ } from "../language.js";
import { shortened } from "../spans/cards.js";
import { appendVisibly } from "../spans/invisibles.js";

const SEARCHED = 8; // a table with more rows than this gets a search box
const BRIEF = 700; // characters up to which what was asked is read before the text instead of beside it

const DRAW = {
  text({ title, text }) {
    const words = h("div", { class: "context-text", dir: "auto" });
    appendVisibly(words, text);
    return section(title, words);
  },
  table: ({ title, columns, rows }) => section(title, ...table(title, columns, rows)),
  link({ title, url }) {
    const safe = /^https?:\/\//iu.test(url);
    return section(
      "",
      safe
        ? h(
            "p",
            {},
            h(
              "a",
              { href: url, target: "_blank", rel: "noopener noreferrer" },
              title || url,
              h("span", { "aria-hidden": "true" }, " ↗"),
              h("span", { class: "sr-only" }, ` ${_("(opens in a new tab)")}`),
            ),
          )
        : h("p", { class: "soft" }, title || url),
    );
  },
};

/** @param {Array<{kind: string}>} items @returns {HTMLElement | null} nothing if there is no context */
export function drawContext(items) {
  if (!items.length) return null;
  const name = freshId("context");
  const sections = items.map((item) => DRAW[item.kind](item));
  return h(
    "aside",
    { class: "context", "aria-labelledby": name },
    h("h2", { id: name, class: "sr-only" }, _("Context")),
    jumps(items, sections),
    sections,
  );
}

/** Whether this is a question or a source of a few lines, which one reads before the text that answers it. */
export const isBrief = (items) =>
  items.length > 0 &&
  items.every((item) => item.kind === "text") &&
  items.reduce((length, item) => length + item.text.length, 0) <= BRIEF;

/** With several tables, a button leads to each of them and to the links. */
function jumps(items, sections) {
  if (items.filter((item) => item.kind === "table").length < 2) return null;
  return h(
    "div",
    { class: "context-jump no-print", role: "group", "aria-label": _("Go to") },
    items.map(
      (item, index) =>
        (item.title || item.url) &&
        h(
          "button",
          { type: "button", onclick: () => goTo(sections[index]) },
          h("bdi", {}, shortened(item.title || item.url, 28)),
        ),
    ),
  );
}

function goTo(section) {
  section.scrollIntoView({ block: "start" });
  section.querySelector("a, .table-box")?.focus({ preventScroll: true });
}

function section(title, ...content) {
  return h("section", { class: "context-item" }, title && h("h3", {}, h("bdi", {}, title)), ...content);
}

const LEFTWARDS = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;
const isNumber = (cell) => typeof cell === "number" || (typeof cell === "string" && /^[-+]?[\d.,:%]+$/u.test(cell));

/** A table runs as its own words do, whatever the page speaks; `auto` would not look into its cells. @param {string} words */
function direction(words) {
  const [letter = ""] = /\p{L}/u.exec(words) ?? [];
  return LEFTWARDS.test(letter) ? "rtl" : "ltr";
}

function table(title, columns, rows) {
  const numeric = columns.map(
    (name, column) =>
      rows.length > 0 && rows.every((row) => row[column] === null || row[column] === "" || isNumber(row[column])),
  );
  const body = h(
    "tbody",
    {},
    rows.map((row) =>
      h(
        "tr",
        {},
        row.map((cell, column) =>
          h(
            column === 0 ? "th" : "td",
            { scope: column === 0 ? "row" : null, class: numeric[column] ? "number" : null, dir: "auto" },
            cell === null ? "" : String(cell),
          ),
        ),
      ),
    ),
  );
  const scroller = h(
    "div",
    {
      class: "scroller table-box",
      dir: direction([...columns, ...rows.flat()].join(" ")),
      tabindex: "0",
      role: "region",
      "aria-label": title || _("Table"),
    },
    h(
      "table",
      {},
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          columns.map((name, column) =>
            h("th", { scope: "col", class: numeric[column] ? "number" : null, dir: "auto" }, name),
          ),
        ),
      ),
      body,
    ),
  );
  const more = h("p", { class: "help scrolls no-print", hidden: true }, _("More columns: scroll sideways, or use the arrow keys."));
  fit(scroller, more);
  return [rows.length > SEARCHED && searchFor(body, rows, title), scroller, more];
}

/** A table that is too wide is set closer; what still does not fit says that it scrolls, and fades out at that side. */
function fit(scroller, more) {
  const edges = () => {
    const hidden = scroller.scrollWidth - scroller.clientWidth;
    more.hidden = hidden <= 1;
    scroller.classList.toggle("cut", hidden - Math.abs(scroller.scrollLeft) > 1);
  };
  const look = () => {
    scroller.classList.remove("close");
    scroller.classList.toggle("close", scroller.scrollWidth > scroller.clientWidth);
    edges();
  };
  scroller.addEventListener("scroll", edges, { passive: true });
  new ResizeObserver(look).observe(scroller);
}

/** A box that leaves only the rows with all the words typed into it. */
function searchFor(body, rows, title) {
  const texts = rows.map((row) => row.join("\t").toLowerCase());
  const found = h("span", { class: "help", role: "status" });
  const look = () => {
    const words = input.value.toLowerCase().split(/\s+/u).filter(Boolean);
    let count = 0;
    texts.forEach((text, index) => {
      const hit = words.every((word) => text.includes(word));
      body.children[index].hidden = !hit;
      count += hit ? 1 : 0;
    });
    for (const cell of body.querySelectorAll("th, td"))
      cell.classList.toggle(
        "hit",
        words.some((word) => cell.textContent.toLowerCase().includes(word)),
      );
    found.textContent = words.length ? _("{count} of {all} rows", { count, all: texts.length }) : "";
  };
  const input = h("input", {
    type: "search",
    placeholder: _("Search the rows"),
    "aria-label": _("Search in {table}", { table: title || _("the table") }),
    oninput: look,
  });
  return h("div", { class: "table-search row no-print" }, input, found);
}
