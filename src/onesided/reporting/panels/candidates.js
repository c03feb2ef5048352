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
  const times = (ratio) => (ratio < 10 ? ratio.toFixed(1) : count(Number(ratio.toPrecision(2))));
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
  let searched = null;
  let readsText = false;
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
    made.setAttribute("role", "row");
    made.dataset.row = row;
    made.setAttribute("aria-rowindex", place + 2);
    if (row === chosen) made.setAttribute("aria-current", "true");
    for (const column of columns) {
      if (column === name) {
        const head = element("th");
        head.scope = "row";
        head.setAttribute("role", "rowheader");
        const button = element("button", titleOf(row) || candidates.identifier[row]);
        button.type = "button";
        button.title = candidates.identifier[row];
        head.append(button);
        made.append(head);
      } else {
        const cell = element("td", shown[column](row), "number");
        cell.setAttribute("role", "cell");
        made.append(cell);
      }
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
    const wanted = byId("search").value.trim();
    const words = plain(wanted).split(/\s+/).filter(Boolean);
    if (wanted && searched === null) {
      searched = candidates.identifier.map((name, row) =>
        plain(`${name}\n${titleOf(row)}\n${explanations.text[row] ?? ""}`));
    }
    const holdsAll = (text) => words.every((word) => text.includes(word));
    let rows = Array.from({ length: nRows }, (_, row) => row);
    if (wanted) rows = rows.filter((row) => holdsAll(searched[row]));
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
    sayFound(wanted, wanted ? explanations.known.filter((name) => holdsAll(plain(name))) : []);
    scroll.scrollTop = 0;
    if (!order.length) byId("why").replaceChildren();
    else if (!rows.includes(chosen) || !byId("why").hasChildNodes()) explain(order[0]);
    draw();
  }

  // Accents and case aside.
  function plain(text) {
    return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  }

  function sayFound(wanted, known) {
    const said = byId("search-said");
    const same = known.find((name) => plain(name) === plain(wanted));
    const alsoKnown = same === undefined ? "" : `; ${same} is a known positive`;
    if (!wanted) said.textContent = "";
    else if (order.length) said.textContent = `${count(order.length)} of ${count(nRows)}${alsoKnown}`;
    else if (!known.length) said.textContent = `No candidate has \u201c${wanted}\u201d.`;
    else said.textContent = `${same ?? known[0]} is a known positive, so it is not a candidate`
      + `${known.length > 1 ? `; so are ${count(known.length - 1)} more rows with these words` : ""}.`;
  }
  const collator = new Intl.Collator("en", { numeric: true });

  // One candidate: what moves its score, the known positives like it, its text.
  function explain(row) {
    chosen = row;
    const why = byId("why");
    const head = element("h3", `${count(row + 1)}. `);
    head.append(linked(candidates.identifier[row]));
    const parts = [head];
    if (titleOf(row)) parts.push(element("p", titleOf(row)));
    if (row >= explanations.nearest.length) {
      parts.push(element("p", `This page explains only the first ${count(explanations.nearest.length)} rows.`));
    } else {
      const features = explanations.feature[row];
      if (features.length) {
        const largest = Math.max(...explanations.effect[row].map(Math.abs));
        const list = element("table", "", "compact effects");
        list.append(element("caption", "What affects this score most (longer bars: stronger effect)"));
        const rows = element("tbody");
        features.forEach((feature, i) => {
          const effect = explanations.effect[row][i];
          const line = element("tr");
          const head = element("th", explanations.names[feature]);
          head.scope = "row";
          const bar = element("td");
          const filled = element("span", "", effect > 0 ? "up" : "down");
          filled.style.width = `${(100 * Math.abs(effect)) / largest}%`;
          bar.append(filled);
          line.append(head, element("td", explanations.value[row][i]),
            element("td", effect > 0 ? "raises the score" : "lowers the score"), bar);
          rows.append(line);
        });
        list.append(rows);
        parts.push(list);
      }
      parts.push(nearestTo(row), ...textOf(row));
    }
    why.replaceChildren(...parts);
    draw();
  }

  // An address or a DOI can be followed; nothing else is one.
  function linked(identifier) {
    const doi = identifier.match(/^(?:doi:\s*)?(10\.\d{4,9}\/\S+)$/i);
    const address = doi ? `https://doi.org/${encodeURI(doi[1])}` : identifier;
    if (!/^https?:\/\/\S+$/i.test(address)) return identifier;
    const link = element("a", identifier);
    link.href = address;
    link.rel = "noopener noreferrer";
    link.target = "_blank";
    return link;
  }

  function nearestTo(row) {
    const lacksText = explanations.measure === "cosine" && !explanations.text[row];
    if (lacksText && data.only_text) return element("p", "This row has no text, so no nearest known positives are listed.");
    const made = element("p", "Nearest known positives: ");
    explanations.nearest[row].forEach((place, i) => {
      if (i) made.append(", ");
      made.append(element("strong", explanations.known[place]),
        ` (${explanations.distance[row][i].toFixed(2)})`);
    });
    const of = explanations.measure !== "cosine" ? "all columns, each in standard deviations"
      : data.only_text ? "their words"
        : lacksText ? "all columns except the text, which is empty in this row"
          : "all columns, including words";
    made.append(`; in parentheses the distance, computed from ${of}; 0 means equal.`);
    return made;
  }

  function textOf(row) {
    const context = explanations.context[row] ?? "";
    const text = explanations.text[row] ?? "";
    const parts = context ? [element("blockquote", context)] : [];
    if (text.length > context.length) {
      const all = element("details");
      all.open = readsText;
      all.addEventListener("toggle", () => { readsText = all.open; });
      all.append(element("summary", "Text"), element("p", text));
      parts.push(all);
    }
    return parts;
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
    said.replaceChildren("The first ", element("strong", count(point.n_listed)), ` of ${count(all)} unlabeled rows hold `,
      element("strong", percent(point.recall)), ` of the positives, ${times(point.lift)} times as many as by chance`);
    if (data.only_at_most && point.precision > 0.995) {
      said.append("; the data do not tell how many of these rows are positive");
    } else if (!data.only_at_most && point.positives > 0.995 * point.positives_high
      && point.positives_low < 0.995 * point.positives_high) {
      // The estimate is the upper end: as one number it would say too much.
      said.append("; ", element("strong", `${count(point.positives_low)} to ${count(point.positives_high)}`),
        " of these rows are positive, precision ",
        element("strong", `${percent(point.precision_low)} to ${percent(point.precision_high)}`));
    } else if (point.positives !== null) {
      const about = data.only_at_most ? "at most" : "about";
      const ends = data.only_at_most ? ""
        : ` (${count(point.positives_low)} to ${count(point.positives_high)})`;
      said.append(`; ${about} `, element("strong", count(point.positives)),
        ` of these rows are positive${ends}, precision ${about} `,
        element("strong", percent(point.precision)));
    }
    said.append(".");
  }

  // A list of any length: recall is known at each candidate, all else between two points of the curve.
  function pointAt(length) {
    const last = Math.max(1, curve.findIndex((point) => point.n_listed >= length));
    const [low, high] = [curve[last - 1], curve[last] ?? curve[last - 1]];
    const part = (length - low.n_listed) / (high.n_listed - low.n_listed || 1);
    const between = (a, b) => (a === null ? null : a + part * (b - a));
    const point = Object.fromEntries(Object.keys(low).map((key) => [key, between(low[key], high[key])]));
    point.recall = candidates.share_of_known_positives[length - 1] ?? point.recall;
    point.lift = point.recall / (length / curve[curve.length - 1].n_listed);
    if (point.positives !== null) point.precision = point.positives / length;
    const width = places[last] === undefined ? 0 : Math.log(length / low.n_listed) / Math.log(high.n_listed / low.n_listed);
    return { point, x: places[last - 1] + width * ((places[last] ?? 0) - places[last - 1]) };
  }

  function moveCut(length, follow) {
    const { point, x } = pointAt(length);
    cut = length;
    line.setAttribute("x1", x);
    line.setAttribute("x2", x);
    byId("cut").setAttribute("aria-valuetext", `the first ${count(cut)}`);
    say(point);
    if (follow && sorted.by === "rank" && sorted.up && order.length === nRows) {
      scroll.scrollTop = Math.max(0, cut * height - 0.6 * scroll.clientHeight);
    }
    draw();
  }
  byId("cut").addEventListener("input", (event) => {
    const length = curve[Number(event.target.value)].n_listed;
    byId("length").value = length;
    moveCut(length, true);
  });
  byId("length").addEventListener("input", (event) => {
    const length = Math.floor(Number(event.target.value));
    if (length < 1 || length > curve[curve.length - 1].n_listed) return;
    const after = curve.findIndex((point) => point.n_listed >= length);
    byId("cut").value = after;
    moveCut(length, true);
  });
  byId("length").addEventListener("change", (event) => { event.target.value = cut; });

  window.addEventListener("beforeprint", () => { everything = true; draw(); });
  window.addEventListener("afterprint", () => { everything = false; draw(); });
  function measure() {
    draw();
    height = body.querySelector("tr[data-row]")?.getBoundingClientRect().height ?? height;
    draw();
  }
  window.addEventListener("resize", measure);
  measure();
  moveCut(curve[data.place].n_listed, false);
  if (nRows) explain(0);
})();
