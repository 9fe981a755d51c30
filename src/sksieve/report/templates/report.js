"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const at = (id) => document.getElementById(id);
  const LIMIT = data.firstRows;
  let step = data.steps[data.start];

  function make(tag, properties, ...children) {
    const node = Object.assign(document.createElement(tag), properties);
    node.append(...children);
    return node;
  }
  const named = (column) => sieve.breakable(data.names[column]);
  function bar(width) {
    const node = make("span", { className: "bar" });
    node.style.setProperty("--w", width + "%");
    return node;
  }
  const value = (text) => make("span", { className: "value", textContent: text });

  // The chosen columns.
  const chosenBody = at("chosen").tBodies[0];
  let showAll = false;
  function drawChosen() {
    const rows = step.columns.slice(0, showAll ? undefined : LIMIT).map((column, i) => {
      const row = make("tr", {},
        make("td", { className: "num", textContent: i + 1 }),
        make("th", { scope: "row" }, named(column)));
      row.append(
        make("td", { className: "num", textContent: step.sums[i] }),
        make("td", { className: "bars" }, bar(step.bars[i]), value(step.adds[i])));
      return row;
    });
    chosenBody.replaceChildren(...rows);
    const hidden = step.k > rows.length;
    at("chosen-more").textContent = hidden ? `The first ${rows.length} of ${step.k}.` : "";
    at("chosen-all").hidden = !hidden;
    at("chosen-count").textContent = `(${step.k})`;
  }
  const names = () => step.columns.map((column) => data.names[column]).join("\n") + "\n";
  at("chosen-actions").hidden = false;
  at("chosen-copy").addEventListener("click", () => sieve.copy(at("chosen-copy"), names()));
  at("chosen-download").addEventListener("click", () => sieve.download("columns.txt", names()));
  at("chosen-all").addEventListener("click", () => { showAll = true; drawChosen(); });

  // The dropped columns.
  let order = { key: "r2", up: true }, shown = data.firstDropped, query = "";
  const reconstruction = at("reconstruction-table");
  const table = () => step.reconstruction || data.steps[data.start].reconstruction;
  const percent = (share) => (share <= 0 || share >= 1 ? (100 * share).toFixed(0) : (100 * share).toFixed(1)) + "\u202f%";
  const signed = (w) => (w <= -0.005 ? "\u2212" : "+") + Math.abs(w).toFixed(2);

  function matching(t) {
    const places = t.columns.map((_, i) => i);
    if (!query) return places;
    const hit = data.names.map((name) => name.toLowerCase().includes(query));
    return places.filter((i) => hit[t.columns[i]] || t.by[i].some((v, p) => p % 2 === 0 && hit[v]));
  }
  function sorted(t, places) {
    const sign = order.up ? 1 : -1;
    const collator = new Intl.Collator(undefined, { numeric: true });
    const r2 = (i) => (t.r2[i] == null ? Infinity : t.r2[i]);
    const by = order.key === "r2"
      ? (a, b) => (r2(a) === r2(b) ? a - b : sign * (r2(a) - r2(b)))
      : (a, b) => sign * collator.compare(data.names[t.columns[a]], data.names[t.columns[b]]);
    return places.sort(by);
  }
  function drawReconstruction() {
    if (!reconstruction) return;
    const t = table();
    const places = sorted(t, matching(t));
    reconstruction.tBodies[0].replaceChildren(...places.slice(0, shown).map((i) => {
      const parts = [];
      for (let p = 0; p < t.by[i].length; p += 2) {
        parts.push(make("span", { className: "part" }, value(signed(t.by[i][p + 1])), " ", named(t.by[i][p])));
      }
      const fit = t.r2[i] == null
        ? make("td", { className: "muted", textContent: "no variation" })
        : make("td", { className: "bars" }, bar(100 * t.r2[i]), value(percent(t.r2[i])));
      return make("tr", {}, make("th", { scope: "row" }, named(t.columns[i])), fit, make("td", {}, ...parts));
    }));
    const drawn = Math.min(shown, places.length);
    at("reconstruction-count").textContent = query
      ? `${places.length} of ${t.columns.length} match` + (drawn < places.length ? `; ${drawn} shown.` : ".")
      : drawn < places.length ? `${drawn} of ${places.length} shown.` : `All ${places.length} shown.`;
    at("reconstruction-more").hidden = drawn >= places.length;
  }
  if (reconstruction) {
    for (const head of reconstruction.querySelectorAll("th[data-sort]")) {
      const button = make("button", { type: "button", textContent: head.textContent });
      head.replaceChildren(button);
      const arrow = () => {
        const active = head.dataset.sort === order.key;
        if (active) head.setAttribute("aria-sort", order.up ? "ascending" : "descending");
        else head.removeAttribute("aria-sort");
        button.textContent = button.textContent.replace(/ [\u2191\u2193]$/, "") + (active ? (order.up ? " \u2191" : " \u2193") : "");
      };
      head.refresh = arrow;
      arrow();
      button.addEventListener("click", () => {
        const key = head.dataset.sort;
        order = { key, up: key === order.key ? !order.up : true };
        for (const other of reconstruction.querySelectorAll("th[data-sort]")) other.refresh();
        shown = data.firstDropped;
        drawReconstruction();
      });
    }
    at("search-box").hidden = false;
    at("search").addEventListener("input", (event) => {
      query = event.target.value.trim().toLowerCase();
      shown = data.firstDropped;
      drawReconstruction();
    });
    at("reconstruction-more").hidden = table().columns.length <= shown;
    at("reconstruction-more").addEventListener("click", () => { shown += 100; drawReconstruction(); });
  }

  // The slider, and the chart as a second way to move it.
  const slider = at("slider");
  function move(position) {
    step = data.steps[position];
    slider.value = position;
    slider.setAttribute("aria-valuetext", `${step.k} ${data.noun}${step.k === 1 ? "" : "s"}`);
    at("slider-k").textContent = step.k;
    at("slider-says").textContent = step.text;
    at("slider-back").disabled = position === data.start;
    const dot = at("path-chart").querySelector(".dot");
    dot.style.left = step.at[0] + "%";
    dot.style.top = step.at[1] + "%";
    at("path-chart").querySelector(".guide").style.left = step.at[0] + "%";
    drawChosen();
    if (step.reconstruction) drawReconstruction();
  }
  if (slider) {
    at("slider-box").hidden = false;
    slider.addEventListener("input", () => move(Number(slider.value)));
    at("slider-back").addEventListener("click", () => { move(data.start); slider.focus(); });
    at("path-chart").classList.add("movable");
    const plot = at("path-chart").querySelector(".plot");
    plot.addEventListener("click", (event) => {
      const box = plot.getBoundingClientRect();
      const left = 100 * (event.clientX - box.left) / box.width;
      const away = data.steps.map((one) => Math.abs(one.at[0] - left));
      move(away.indexOf(Math.min(...away)));
    });
  }
  if (step.columns.length > LIMIT) at("chosen-all").hidden = false;
  at("chosen-count").textContent = `(${step.k})`;

  // Correlations of chosen and dropped columns.
  const map = at("cross-map");
  if (map) {
    const cross = JSON.parse(at("cross-data").textContent);
    const lines = [...map.children].map((line) => [...line.querySelectorAll("i")]);
    let row = 0, column = 0;
    function show(i, k) {
      lines[row][column].classList.remove("here");
      row = Math.max(0, Math.min(cross.chosen.length - 1, i));
      column = Math.max(0, Math.min(cross.dropped.length - 1, k));
      lines[row][column].classList.add("here");
      const r = cross.r[row][column];
      at("cross-says").replaceChildren(
        make("bdi", { textContent: cross.chosen[row] }), " and ", make("bdi", { textContent: cross.dropped[column] }),
        `: ${r < 0 ? "\u2212" : ""}${(Math.abs(r) / 100).toFixed(2)}`);
    }
    map.tabIndex = 0;
    at("cross-help").hidden = false;
    map.addEventListener("pointermove", (event) => {
      const cell = event.target.closest("#cross-map i");
      const i = lines.findIndex((line) => line.includes(cell));
      if (i >= 0) show(i, lines[i].indexOf(cell));
    });
    map.addEventListener("keydown", (event) => {
      const moved = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
      if (!moved) return;
      event.preventDefault();
      show(row + moved[0], column + moved[1]);
    });
    map.addEventListener("focus", () => show(row, column));
  }
})();
