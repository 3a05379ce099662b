// A look at a task before a place is taken: one text as it is asked, which can be tried and is sent nowhere.
import { UnitPage } from "./unit_page.js";

const { protocol, unit } = JSON.parse(document.getElementById("config").textContent || "{}");
const place = document.getElementById("example");
if (unit && place) {
  const assignment = { id: 0, unit, answers: null, locked: false, returned: null };
  const nowhere = { changed() {}, submit() {}, leave() {} };
  const how = { earlier: false, editing: true, reached: 0, preview: true };
  const page = new UnitPage(protocol, assignment, nowhere, how);
  place.replaceChildren(page.element);
}
