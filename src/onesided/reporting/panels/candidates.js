(() => {
  const data = JSON.parse(byId("data").textContent);
  const { curve, candidates, explanations } = data;
  const nRows = candidates.identifier.length;
  const total = curve[curve.length - 1].n_listed;
  const percent = (share) => {
    // The rule of as_percent in _text.py: only 0 is 0 %, and only 1 is 100 %.
    const left = 1 - share;
    const close = left > 1e-9 ? Math.max(4, 2 + Math.ceil(-Math.log10(100 * left))) : 4;
    const rounded = Number((100 * share).toPrecision(share > 0.99 ? close : 3));
    return `${rounded.toFixed(12).replace(/\.?0+$/, "")}\u202f%`;
  };
  const times = (ratio) => (ratio < 10 ? ratio.toFixed(1) : count(Number(ratio.toPrecision(2))));

  // The list: its rows are sorted and searched, but only those in view are in the page.
  const scroll = byId("scroll");
  const table = byId("list");
  const body = table.tBodies[0];
  const columns = [...table.tHead.querySelectorAll("button")].map((button) => button.dataset.by);
  const name = candidates.title ? "title" : "identifier";
  const spare = 8;
  const all = Array.from({ length: nRows }, (_, row) => row);
  let order = all;
  let sorted = { by: "rank", up: true };
  let chosen = 0;
  let cut = curve[data.place].n_listed;
  let printing = false;
  let searched = null;
  let readsText = false;
  const marks = keepMarks(`list ${data.digest}`, candidates.identifier.map((id, row) =>
    ({ id, rank: row + 1, stands_for: "", verdict: "", note: "" })), () => { draw(); sayMarks(); });
  let height = body.rows[0].getBoundingClientRect().height;

  const shown = {
    rank: (row) => count(row + 1),
    score: (row) => candidates.score[row].toFixed(4),
    recall: (row) => percent(candidates.recall[row]),
    recall_low: (row) => percent(candidates.recall_low[row]),
    posterior: (row) => percent(candidates.posterior[row]),
    posterior_at_most: (row) => percent(candidates.posterior_at_most[row]),
    marked: (row) => candidates.marked[row],
  };

  const titleOf = (row) => (candidates.title ? candidates.title[row] : "");

  function cellOf(row, column) {
    if (column !== name) return element("td", { role: "cell", class: "number" }, shown[column](row));
    const identifier = candidates.identifier[row];
    const mark = verdictBadge(marks.of(row).verdict);
    const button = element("button", { type: "button", title: identifier }, ...mark, titleOf(row) || identifier);
    const links = printing ? linksOf(row, (label, address) => address) : [];
    const about = candidates.about || links.length
      ? [element("span", { class: "about" }, candidates.about?.[row] ?? "", ...links)] : [];
    return element("th", { scope: "row", role: "rowheader" }, button, ...about);
  }

  function rowOf(row, place) {
    const attributes = { role: "row", "data-row": row, "aria-rowindex": place + 2 };
    if (row < cut) attributes.class = "listed";
    if (row === chosen) attributes["aria-current"] = "true";
    return element("tr", attributes, ...columns.map((column) => cellOf(row, column)));
  }

  const spacer = (nHidden) => element("tr", { class: "spacer", "aria-hidden": "true" },
    element("td", { colspan: columns.length, style: `height: ${nHidden * height}px` }));

  function draw() {
    const inView = Math.ceil(scroll.clientHeight / height);
    const first = printing ? 0 : Math.max(0, Math.floor(scroll.scrollTop / height) - spare);
    const last = printing ? order.length : Math.min(order.length, first + inView + 2 * spare);
    const drawn = printing ? order.filter((row) => row < cut) : order.slice(first, last);
    const rows = drawn.map((row, i) => rowOf(row, first + i));
    if (first > 0) rows.unshift(spacer(first));
    if (last < order.length) rows.push(spacer(order.length - last));
    if (printing) sayNotPrinted(total - drawn.length);
    const focused = document.activeElement.closest("#list tbody tr")?.dataset.row;
    body.replaceChildren(...rows);
    if (focused) (body.querySelector(`tr[data-row="${focused}"] button`) ?? scroll).focus({ preventScroll: true });
  }

  function sayNotPrinted(nRowsLeft) {
    byId("not-printed").textContent = nRowsLeft
      ? `${count(nRowsLeft)} of ${count(total)} unlabeled rows are not printed; `
        + "a ranking file that was not shortened contains them." : "";
  }

  // The text without case and accents.
  const plain = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  const collator = new Intl.Collator("en", { numeric: true });

  function arrange() {
    const wanted = byId("search").value.trim();
    const words = plain(wanted).split(/\s+/).filter(Boolean);
    if (wanted && searched === null) {
      searched = candidates.identifier.map((identifier, row) =>
        plain(`${identifier}\n${titleOf(row)}\n${candidates.about?.[row] ?? ""}\n${explanations.text[row] ?? ""}`));
    }
    const holdsAll = (text) => words.every((word) => text.includes(word));
    order = all.filter((row) => !wanted || holdsAll(searched[row]));
    if (sorted.by !== "rank") {
      const values = candidates[sorted.by];
      const sign = sorted.up ? 1 : -1;
      const compare = sorted.by === name || sorted.by === "marked"
        ? (a, b) => collator.compare(values[a], values[b])
        : (a, b) => values[a] - values[b];
      order.sort((a, b) => sign * compare(a, b) || a - b);
    } else if (!sorted.up) order.reverse();
    table.setAttribute("aria-rowcount", order.length + 1);
    sayFound(wanted, wanted ? explanations.known.filter((known) => holdsAll(plain(known))) : []);
    scroll.scrollTop = 0;
    if (!order.length) byId("why").replaceChildren();
    else if (!order.includes(chosen) || !byId("why").hasChildNodes()) explain(order[0]);
    draw();
  }

  function sayFound(wanted, known) {
    const said = byId("search-said");
    const same = known.find((identifier) => plain(identifier) === plain(wanted));
    const alsoKnown = same === undefined ? "" : `; ${same} is a known positive`;
    if (!wanted) said.textContent = "";
    else if (order.length) said.textContent = `${count(order.length)} of ${count(nRows)}${alsoKnown}`;
    else if (!known.length) said.textContent = `No candidate has \u201c${wanted}\u201d.`;
    else said.textContent = `${same ?? known[0]} is a known positive, so it is not a candidate`
      + `${known.length > 1 ? `; so are ${count(known.length - 1)} more rows with these words` : ""}.`;
  }

  // One candidate: what affects its score, its nearest known positives, its text.
  function explain(row) {
    chosen = row;
    const nExplained = explanations.nearest.length;
    byId("why").replaceChildren(
      element("h3", {}, `${count(row + 1)}. `, linked(candidates.identifier[row])),
      ...(titleOf(row) ? [element("p", {}, titleOf(row))] : []),
      ...recordOf(row),
      ...(row < nExplained ? [...effectsOn(row), nearestTo(row), ...textOf(row)]
        : [element("p", {}, `Only the first ${count(nExplained)} candidates are explained.`)]));
    draw();
    sayMarks();
  }

  // What the row is known by, and where a reference record can be read.
  function recordOf(row) {
    if (!candidates.about && !candidates.doi) return [];
    return [element("p", {}, candidates.about?.[row] ?? "", ...linksOf(row, (label) => label))];
  }

  // Links to the record, each after a blank; on paper a link is its address.
  function linksOf(row, said) {
    const places = [["DOI", "https://doi.org/", candidates.doi?.[row]],
      ["PubMed", "https://pubmed.ncbi.nlm.nih.gov/", candidates.pmid?.[row]]];
    return places.filter(([, , id]) => id).flatMap(([label, at, id]) => {
      const address = at + encodeURI(id);
      return [" ", element("a", { href: address, target: "_blank", rel: "noopener noreferrer" }, said(label, address))];
    });
  }

  function effectsOn(row) {
    const effects = explanations.effect[row];
    if (!effects.length) return [];
    const named = effects.map((effect, i) =>
      [explanations.names[explanations.feature[row][i]], effect, explanations.value[row][i]]);
    return [effectsTable(named, "What affects this score most (longer bars: stronger effect)")];
  }

  function nearestTo(row) {
    const lacksText = explanations.measure === "cosine" && !explanations.text[row];
    if (lacksText && data.only_text) {
      return element("p", {}, "This row has no text, so no nearest known positives are listed.");
    }
    const nearest = explanations.nearest[row].flatMap((place, i) => [i ? ", " : "",
      strong(explanations.known[place]), ` (${explanations.distance[row][i].toFixed(2)})`]);
    const of = explanations.measure !== "cosine" ? "all columns, each in standard deviations"
      : data.only_text ? "their words"
        : lacksText ? "all columns except the text, which is empty in this row"
          : "all columns, including words";
    return element("p", {}, "Nearest known positives: ", ...nearest,
      `; in parentheses the distance, computed from ${of}; 0 means equal.`);
  }

  function textOf(row) {
    const context = explanations.context[row] ?? "";
    const text = explanations.text[row] ?? "";
    const parts = context ? [element("blockquote", {}, context)] : [];
    if (text.length > context.length) {
      const whole = element("details", readsText ? { open: "" } : {},
        element("summary", {}, "Text"), element("p", {}, text));
      whole.addEventListener("toggle", () => { readsText = whole.open; });
      parts.push(whole);
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
  function move(step) {
    const place = Math.min(Math.max(order.indexOf(chosen) + step, 0), order.length - 1);
    if (place < 0) return;
    const top = place * height;
    const room = scroll.clientHeight - table.tHead.offsetHeight - height;
    const hasFocus = body.contains(document.activeElement);
    scroll.scrollTop = Math.min(top, Math.max(scroll.scrollTop, top - room));
    explain(order[place]);
    if (hasFocus) body.querySelector("tr[aria-current] button")?.focus({ preventScroll: true });
  }
  scroll.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    move(step);
  });

  // Marks on candidates, by the keys of the page that checks rows.
  const sheets = handleSheets(marks, { idName: data.identifier, fileName: "marks.csv", wanted: marks.marked });
  function sayMarks() {
    showVerdict(byId("marking"), order.length ? marks.of(chosen).verdict : "");
    const n = marks.marked().length;
    byId("n-marked").textContent = n ? `${count(n)} of ${count(nRows)} candidates ${n === 1 ? "is" : "are"} marked. ` : "";
    sheets();
  }
  function act(wish) {
    if (wish === "back" || wish === "forward") move(wish === "back" ? -1 : 1);
    else if (wish === "undo") marks.undo().slice(0, 1).forEach(explain);
    else if (order.includes(chosen)) {
      marks.set([[chosen, { verdict: wish }]]);
      move(1);
    }
  }
  byId("candidates").addEventListener("keydown", (event) => {
    const wish = wishOf(event);
    if (!wish) return;
    event.preventDefault();
    act(wish);
  });
  byId("marking").addEventListener("click", (event) => {
    const wish = event.target.closest("[data-wish]")?.dataset.wish;
    if (wish) act(wish);
  });

  table.tHead.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    const by = button.dataset.by;
    sorted = { by, up: sorted.by === by ? !sorted.up : by === "rank" || by === name };
    for (const head of table.tHead.rows[0].cells) head.removeAttribute("aria-sort");
    button.parentElement.setAttribute("aria-sort", sorted.up ? "ascending" : "descending");
    arrange();
  });
  byId("search").addEventListener("input", arrange);

  // The cut: a line in the picture, its figures, and the rows of the list.
  const path = document.querySelector("#cuts .mark-line path");
  const places = path.getAttribute("d").match(/-?[\d.]+(?:e-?\d+)?,-?[\d.]+(?:e-?\d+)?/g)
    .map((vertex) => Number(vertex.split(",")[0]));
  const frame = document.querySelector("#cuts .background").getAttribute("d");
  const line = document.createElementNS("http://www.w3.org/2000/svg", "line");
  const drawLine = (attributes) => {
    for (const [key, value] of Object.entries(attributes)) line.setAttribute(key, value);
  };
  drawLine({ class: "cut-line", y1: 0, y2: Number(frame.match(/v([\d.]+)/)?.[1] ?? 260) });
  path.parentElement.append(line);

  function say(point) {
    const { positives, positives_low: low, positives_high: high, precision } = point;
    const { positives_at_most: most, precision_at_most: share, positives_plausible: plausible } = point;
    const parts = ["The first ", strong(count(point.n_listed)), ` of ${count(total)} unlabeled rows hold `,
      strong(point.recall_low === null ? percent(point.recall) : `${percent(point.recall_low)} to ${percent(point.recall_high)}`),
      " of the positives", ...(point.recall_low === null ? [`, ${times(point.lift)} times as many as by chance`] : [])];
    if (most !== null) {
      const atMost = share > 0.995 ? [] : ["at most ", strong(count(most)), " of these rows are positive"];
      const [least, greatest] = [point.positives_plausible_low, point.positives_plausible_high];
      const isOpen = least < 0.005 * point.n_listed && greatest > 0.995 * point.n_listed;
      const range = least === null || isOpen ? "" : ` (${count(least)} to ${count(greatest)})`;
      const about = plausible === null ? [] : ["about ", strong(count(plausible)), `${range} ${atMost.length ? "" : "of these rows are positive, "}if scores of positives and negatives are normally distributed`];
      if (atMost.length || about.length) parts.push("; ", ...atMost, atMost.length && about.length ? ", " : "", ...about);
      else parts.push("; the data do not tell how many of these rows are positive");
    } else if (positives > 0.995 * high && low < 0.995 * high) {
      // The estimate is the upper end, so one number would say too much.
      parts.push("; ", strong(`${count(low)} to ${count(high)}`), " of these rows are positive, precision ",
        strong(`${percent(point.precision_low)} to ${percent(point.precision_high)}`));
    } else if (positives !== null) {
      parts.push("; about ", strong(count(positives)), ` of these rows are positive (${count(low)} to ${count(high)}), precision about `,
        strong(percent(precision)));
    }
    byId("cut-said").replaceChildren(...parts, ".");
  }

  // The recall of any length is known at each candidate; the rest lies between two points of the curve.
  function pointAt(length) {
    const last = Math.max(1, curve.findIndex((point) => point.n_listed >= length));
    const [low, high] = [curve[last - 1], curve[last] ?? curve[last - 1]];
    const part = (length - low.n_listed) / (high.n_listed - low.n_listed || 1);
    const between = (a, b) => (a === null ? null : a + part * (b - a));
    const point = Object.fromEntries(Object.keys(low).map((key) => [key, between(low[key], high[key])]));
    for (const end of ["recall", "recall_low", "recall_high"]) point[end] = candidates[end]?.[length - 1] ?? point[end];
    point.lift = point.recall / (length / total);
    for (const end of ["", "_low", "_high", "_at_most", "_plausible", "_plausible_low", "_plausible_high"]) {
      if (point[`positives${end}`] !== null) point[`precision${end}`] = point[`positives${end}`] / length;
    }
    const width = places[last] === undefined ? 0 : Math.log(length / low.n_listed) / Math.log(high.n_listed / low.n_listed);
    return { point, x: places[last - 1] + width * ((places[last] ?? 0) - places[last - 1]) };
  }

  function moveCut(length) {
    const { point, x } = pointAt(length);
    cut = length;
    drawLine({ x1: x, x2: x });
    byId("cut").value = curve.findIndex((each) => each.n_listed >= length);
    byId("cut").setAttribute("aria-valuetext", `the first ${count(cut)}`);
    say(point);
    draw();
  }

  function follow(length) {
    moveCut(length);
    if (sorted.by !== "rank" || !sorted.up || order.length < nRows) return;
    scroll.scrollTop = Math.max(0, cut * height - 0.6 * scroll.clientHeight);
    draw();
  }
  byId("cut").addEventListener("input", (event) => {
    const length = curve[Number(event.target.value)].n_listed;
    byId("length").value = length;
    follow(length);
  });
  byId("length").addEventListener("input", (event) => {
    const length = Math.floor(Number(event.target.value));
    if (length >= 1 && length <= total) follow(length);
  });
  byId("length").addEventListener("change", (event) => { event.target.value = cut; });

  // On paper the list has the length that the reader chose.
  const print = (begins) => () => { printing = begins; draw(); };
  window.addEventListener("beforeprint", print(true));
  window.addEventListener("afterprint", print(false));
  function measure() {
    draw();
    height = body.querySelector("tr[data-row]")?.getBoundingClientRect().height ?? height;
    draw();
  }
  window.addEventListener("resize", measure);
  measure();
  moveCut(cut);
  if (nRows) explain(0);
})();
