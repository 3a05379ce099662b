// Moments are written in UTC by the server; here they get the reader's own time, with the exact one on hover.

const format = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

/** @param {ParentNode} root */
export function localTimes(root) {
  for (const element of root.querySelectorAll("time[datetime]")) {
    const moment = new Date(element.dateTime);
    if (Number.isNaN(moment.valueOf())) continue;
    element.title = element.dateTime;
    element.textContent = format.format(moment);
  }
}
