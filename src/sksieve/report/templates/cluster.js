"use strict";
(() => {
  // Groups of all members: to download, and to look up.
  const node = document.getElementById("members");
  if (!node) return;
  const data = JSON.parse(node.textContent);
  const at = (id) => document.getElementById(id);
  const name = (i) => (data.names ? data.names[i] : String(i));
  const quoted = (text) => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const LIMIT = 20;

  at("labels-box").hidden = false;
  at("labels-download").addEventListener("click", () => {
    const lines = data.groups.map((group, i) => `${quoted(name(i))},${group}`);
    sieve.download(`${data.group}.csv`, [`${data.member},${data.group}`, ...lines].join("\n") + "\n");
  });
  function cell(text, className) {
    const td = document.createElement("td");
    td.textContent = text;
    td.className = className;
    return td;
  }
  function row(i) {
    const tr = document.createElement("tr"), th = document.createElement("th");
    th.scope = "row";
    th.append(sieve.breakable(name(i)));
    const inside = data.inside[i];
    const other = data.drawn[i] === data.groups[i] ? "its own" : data.drawn[i];
    tr.append(th, cell(data.groups[i], "num"),
      cell(inside == null ? "no edge" : `${inside}\u202f%`, "num"), cell(inside == null ? "" : other, ""));
    return tr;
  }
  at("member-search").addEventListener("input", (event) => {
    const query = event.target.value.trim().toLowerCase();
    const exact = [], other = [];
    if (query) {
      for (let i = 0; i < data.groups.length; i++) {
        const text = name(i).toLowerCase();
        if (text === query) exact.push(i);
        else if (text.includes(query)) other.push(i);
      }
    }
    const found = exact.concat(other), shown = found.slice(0, LIMIT);
    at("member-table").hidden = !shown.length;
    at("member-table").tBodies[0].replaceChildren(...shown.map(row));
    at("member-count").textContent = !query ? ""
      : found.length > LIMIT ? `${found.length} match; ${LIMIT} shown.` : `${found.length} match.`;
  });
})();
