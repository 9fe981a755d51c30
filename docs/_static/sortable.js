// Tables of class "sortable": a click on a head sorts by it, a second click the other way round.
// Cells that begin with a number are compared as numbers; empty cells and dashes stay last.
(() => {
  const key = (cell) => {
    const text = cell.textContent.trim().replace("\u2212", "-");
    const number = parseFloat(text.replace(/^[<+]\s*/, ""));
    return text === "" || text === "-" ? null : Number.isNaN(number) ? text.toLowerCase() : number;
  };
  const compare = (a, b) => {
    if (a === null || b === null) return (a === null) - (b === null);
    if (typeof a === typeof b) return a < b ? -1 : a > b ? 1 : 0;
    return typeof a === "number" ? -1 : 1;
  };
  const sort = (table, column, head) => {
    const down = head.getAttribute("aria-sort") === "ascending";
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row) => [key(row.cells[column]), row]);
    rows.sort(([a], [b]) => (a === null || b === null || !down ? compare(a, b) : compare(b, a)));
    body.append(...rows.map(([, row]) => row));
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
  };
  document.addEventListener("DOMContentLoaded", () => {
    for (const table of document.querySelectorAll("table.sortable")) {
      [...table.tHead.rows[0].cells].forEach((head, column) => {
        head.tabIndex = 0;
        head.title = "Sort";
        head.addEventListener("click", () => sort(table, column, head));
        head.addEventListener("keydown", (event) => {
          if (event.key === "Enter") sort(table, column, head);
        });
      });
    }
  });
})();
