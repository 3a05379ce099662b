// Tables marked data-sortable: every heading becomes a button that sorts by its column, first down, then up.
for (const table of document.querySelectorAll("table[data-sortable]")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => sort(table, heads, column));
  });
}

/** @param {HTMLTableElement} table @param {HTMLTableCellElement[]} heads @param {number} column */
function sort(table, heads, column) {
  const rising = heads[column].getAttribute("aria-sort") === "descending";
  for (const head of heads) head.removeAttribute("aria-sort");
  heads[column].setAttribute("aria-sort", rising ? "ascending" : "descending");
  const body = table.tBodies[0];
  const rows = [...body.rows].sort((one, other) => compare(key(one, column), key(other, column)));
  body.append(...(rising ? rows : rows.reverse()));
}

const key = (row, column) => row.cells[column].dataset.sort ?? row.cells[column].textContent.trim();

/** Numbers by size, everything else by the alphabet. */
export function compare(one, other) {
  const [first, second] = [Number(one), Number(other)];
  if (one !== "" && other !== "" && !Number.isNaN(first) && !Number.isNaN(second)) return first - second;
  return one.localeCompare(other);
}
