"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const { curve, candidates, explanations } = data;
  const nRows = candidates.identifier.length;
  const byId = (id) => document.getElementById(id);
  const count = (number) => Math.round(number).toLocaleString("en-US");
  const percent = (share) => {
    const value = 100 * share;
    const digits = value >= 10 || value === 0 ? 0 : value >= 1 ? 1 : 2;
    return `${value.toFixed(digits)}\u202f%`;
  };
  const element = (name, text = "", className = "") => {
    const made = document.createElement(name);
    made.textContent = text;
    if (className) made.className = className;
    return made;
  };

  // The list: rows in the order that is asked for, of which only those in view are in the page.
  const scroll = byId("scroll");
  const table = byId("list");
  const body = table.tBodies[0];
  const columns = [...table.tHead.querySelectorAll("button")].map((button) => button.dataset.by);
  const name = candidates.title ? "title" : "identifier";
  const spare = 8;
  let order = Uint32Array.from({ length: nRows }, (_, row) => row);
  let sorted = { by: "rank", up: true };
  let chosen = 0;
  let cut = curve[data.place].n_listed;
  let everything = false;
  let lower = null;
  let height = body.rows[0].getBoundingClientRect().height;

  const shown = {
    rank: (row) => count(row + 1),
    score: (row) => candidates.score[row].toFixed(4),
    share_of_known_positives: (row) => percent(candidates.share_of_known_positives[row]),
    posterior: (row) => percent(candidates.posterior[row]),
  };

  const titleOf = (row) => (candidates.title ? candidates.title[row] : "");

  function rowOf(row, place) {
    const made = element("tr", "", row < cut ? "listed" : "");
    made.dataset.row = row;
    made.setAttribute("aria-rowindex", place + 2);
    if (row === chosen) made.setAttribute("aria-current", "true");
    for (const column of columns) {
      if (column === name) {
        const head = element("th");
        head.scope = "row";
        const button = element("button", titleOf(row) || candidates.identifier[row]);
        button.type = "button";
        button.title = candidates.identifier[row];
        head.append(button);
        made.append(head);
      } else made.append(element("td", shown[column](row), "number"));
    }
    return made;
  }

  function spacer(nHidden) {
    const made = element("tr", "", "spacer");
    made.setAttribute("aria-hidden", "true");
    const cell = element("td");
    cell.colSpan = columns.length;
    cell.style.height = `${nHidden * height}px`;
    made.append(cell);
    return made;
  }

  function draw() {
    const inView = Math.ceil(scroll.clientHeight / height);
    const first = everything ? 0 : Math.max(0, Math.floor(scroll.scrollTop / height) - spare);
    const last = everything
      ? Math.min(order.length, 500)
      : Math.min(order.length, first + inView + 2 * spare);
    const rows = [];
    if (first > 0) rows.push(spacer(first));
    for (let place = first; place < last; place++) rows.push(rowOf(order[place], place));
    if (last < order.length && !everything) rows.push(spacer(order.length - last));
    body.replaceChildren(...rows);
  }

  function arrange() {
    const wanted = byId("search").value.trim().toLowerCase();
    if (wanted && lower === null) {
      lower = candidates.identifier.map((name, row) =>
        `${name}\n${titleOf(row)}\n${explanations.context[row] ?? ""}`.toLowerCase());
    }
    let rows = Array.from({ length: nRows }, (_, row) => row);
    if (wanted) rows = rows.filter((row) => lower[row].includes(wanted));
    if (sorted.by !== "rank") {
      const values = candidates[sorted.by];
      const compare = sorted.by === name
        ? (a, b) => collator.compare(values[a], values[b])
        : (a, b) => values[a] - values[b];
      rows.sort((a, b) => compare(a, b) || a - b);
    }
    if (!sorted.up) rows.reverse();
    order = Uint32Array.from(rows);
    table.setAttribute("aria-rowcount", order.length + 1);
    byId("search-said").textContent = wanted ? `${count(order.length)} of ${count(nRows)}` : "";
    scroll.scrollTop = 0;
    draw();
  }
  const collator = new Intl.Collator("en", { numeric: true });

  // One candidate: what moves its score, the known positives like it, its text.
  function explain(row) {
    chosen = row;
    const why = byId("why");
    const parts = [element("h3", `${count(row + 1)}. ${candidates.identifier[row]}`)];
    if (titleOf(row)) parts.push(element("p", titleOf(row)));
    if (row >= explanations.nearest.length) {
      parts.push(element("p", `Only the first ${count(explanations.nearest.length)} are explained.`));
    } else {
      const features = explanations.feature[row];
      if (features.length) {
        const largest = Math.max(...explanations.effect[row].map(Math.abs));
        const list = element("table", "", "compact effects");
        const unit = explanations.unit === "score" ? "" : `, in ${explanations.unit}`;
        list.append(element("caption", `What moves its score most${unit}`));
        const rows = element("tbody");
        features.forEach((feature, i) => {
          const effect = explanations.effect[row][i];
          const line = element("tr");
          const head = element("th", explanations.names[feature]);
          head.scope = "row";
          const bar = element("td");
          const filled = element("span", "", effect > 0 ? "up" : "down");
          filled.style.width = `${(6 * Math.abs(effect)) / largest}rem`;
          bar.append(filled);
          line.append(head, element("td", explanations.value[row][i]),
            element("td", `${effect > 0 ? "+" : "\u2212"}${Math.abs(effect)}`, "number"), bar);
          rows.append(line);
        });
        list.append(rows);
        parts.push(list);
      }
      const known = element("p", "Nearest known positives: ");
      explanations.nearest[row].forEach((place, i) => {
        if (i) known.append(", ");
        known.append(element("strong", explanations.known[place]),
          ` (${explanations.distance[row][i].toFixed(2)})`);
      });
      known.append(explanations.measure === "cosine"
        ? "; the cosine distance of their words, 0 to 1."
        : "; the distance with each column in standard deviations.");
      parts.push(known);
      if (explanations.context[row]) parts.push(element("blockquote", explanations.context[row]));
    }
    why.replaceChildren(...parts);
    draw();
  }

  body.addEventListener("click", (event) => {
    const row = event.target.closest("tr[data-row]");
    if (!row) return;
    const hadFocus = event.target.tagName === "BUTTON";
    explain(Number(row.dataset.row));
    if (hadFocus) body.querySelector("tr[aria-current] button")?.focus();
  });
  scroll.addEventListener("scroll", draw, { passive: true });
  scroll.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const place = Math.min(Math.max(order.indexOf(chosen) + step, 0), order.length - 1);
    if (place < 0) return;
    const top = place * height;
    const room = scroll.clientHeight - table.tHead.offsetHeight - height;
    if (top < scroll.scrollTop) scroll.scrollTop = top;
    if (top > scroll.scrollTop + room) scroll.scrollTop = top - room;
    explain(order[place]);
  });
  table.tHead.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    const by = button.dataset.by;
    sorted = { by, up: sorted.by === by ? !sorted.up : by === "rank" || by === name };
    for (const head of table.tHead.rows[0].cells) {
      head.removeAttribute("aria-sort");
    }
    button.parentElement.setAttribute("aria-sort", sorted.up ? "ascending" : "descending");
    arrange();
  });
  byId("search").addEventListener("input", arrange);

  // The cut: a line in the picture, its figures, and which rows belong to the list.
  const path = document.querySelector("#cuts .mark-line path");
  const places = path.getAttribute("d").match(/-?[\d.]+(?:e-?\d+)?,-?[\d.]+(?:e-?\d+)?/g)
    .map((vertex) => Number(vertex.split(",")[0]));
  const bottom = Number(document.querySelector("#cuts .background").getAttribute("d").match(/v([\d.]+)/)?.[1] ?? 260);
  const line = document.createElementNS("http://www.w3.org/2000/svg", "line");
  line.setAttribute("y1", 0);
  line.setAttribute("y2", bottom);
  line.setAttribute("class", "cut-line");
  path.parentElement.append(line);

  function say(point) {
    const all = curve[curve.length - 1].n_listed;
    const said = byId("cut-said");
    said.replaceChildren("The first ", element("strong", count(point.n_listed)), ` of ${count(all)} hold `,
      element("strong", percent(point.recall)), ` of the positives, ${point.lift.toPrecision(2)} times as many as by chance`);
    if (point.positives !== null) {
      const about = data.only_at_most ? "at most" : "about";
      const ends = data.only_at_most ? ""
        : ` (${count(point.positives_low)} to ${count(point.positives_high)})`;
      said.append(`; ${about} `, element("strong", count(point.positives)),
        ` of them are positive${ends}, precision ${about} `,
        element("strong", percent(point.precision)));
    }
    said.append(".");
  }

  function moveCut(place, follow) {
    const point = curve[place];
    cut = point.n_listed;
    line.setAttribute("x1", places[place]);
    line.setAttribute("x2", places[place]);
    byId("cut").setAttribute("aria-valuetext", `the first ${count(cut)}`);
    say(point);
    if (follow && sorted.by === "rank" && sorted.up && order.length === nRows) {
      scroll.scrollTop = Math.max(0, cut * height - 0.6 * scroll.clientHeight);
    }
    draw();
  }
  byId("cut").addEventListener("input", (event) => moveCut(Number(event.target.value), true));

  window.addEventListener("beforeprint", () => { everything = true; draw(); });
  window.addEventListener("afterprint", () => { everything = false; draw(); });
  window.addEventListener("resize", draw);
  draw();
  height = body.querySelector("tr[data-row]").getBoundingClientRect().height;
  moveCut(data.place, false);
  if (nRows) explain(0);
})();
