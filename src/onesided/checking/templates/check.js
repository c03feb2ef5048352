(() => {
  const data = JSON.parse(byId("data").textContent);
  const { rows } = data;
  const all = rows.map((_, place) => place);
  const steps = data.mode === "anytime" ? data.steps : null;
  const marks = keepMarks(data.audit, rows, showChanges);
  const sheets = handleSheets(marks, { idName: data.id_name, fileName: data.sheet, wanted: () => all });
  const isOpen = (place) => !marks.of(place).verdict;
  const cut = (text, length) => (text.length > length ? `${text.slice(0, length)}…` : text);
  // These marks isolate a name, so that a right-to-left name does not reorder the words around it.
  const nameOf = (place) => `rank ${count(rows[place].rank)}, \u2068${cut(rows[place].id, 60)}\u2069`;

  // Rows that matched the filter when it was last chosen. A row that is checked stays in the list.
  let shown = all;
  let at = Math.max(0, all.findIndex(isOpen));
  let inTable = false;
  let last = "";
  const lines = new Map(); // lines of the table, by place of the row

  // The view of one record.
  const facts = ({ rank, score, stands_for: standsFor }) => [`rank ${count(rank)}`,
    ...(score === null ? [] : [`score ${Number(score.toPrecision(4))}`]),
    ...(standsFor > 1 ? [`stands for about ${many(Math.round(standsFor), "unlabeled row")}`] : [])].join(" · ");
  const fieldLine = ([column, text]) => element("tr", {},
    element("th", { scope: "row", dir: "auto" }, column), element("td", { dir: "auto" }, text));
  function noteOf(place, attributes) {
    const note = element("textarea", { dir: "auto", spellcheck: "false", ...attributes });
    showNote(note, place);
    note.addEventListener("input", () => marks.setNote(place, note.value));
    note.addEventListener("keydown", ({ key }) => { if (key === "Escape") note.blur(); });
    return note;
  }
  function showNote(note, place) {
    if (note !== document.activeElement) note.value = marks.of(place).note;
  }
  function drawRecord() {
    const row = rows[at];
    const { text, fields, drivers } = row;
    byId("record").replaceChildren(
      element("p", { class: "note" }, `${count(at + 1)} of ${many(rows.length, "row")} · ${facts(row)}`),
      element("h2", { id: "name", dir: "auto" }, linked(row.id)),
      ...(text ? [element("blockquote", { dir: "auto" }, text)] : []),
      ...(drivers.length ? [effectsTable(drivers, "What affects this score most (longer bars: stronger effect"
        + `${data.unit ? `, in ${data.unit}` : ""})`)] : []),
      ...(fields.length ? [element("table", { class: "fields" },
        element("caption", {}, "Columns of this row"), element("tbody", {}, ...fields.map(fieldLine)))] : []),
      element("label", { for: "note" }, "Note"),
      noteOf(at, { id: "note", rows: 2 }));
  }

  // The view of all rows as a table. A line is made when it is first needed.
  const MOST_FIELDS = 6;
  const MOST_LETTERS = 200;
  function lineOf(place) {
    if (lines.has(place)) return lines.get(place);
    const { id, rank, fields, text } = rows[place];
    const told = fields.slice(0, MOST_FIELDS).flatMap(([column, value]) =>
      [element("dt", { dir: "auto" }, column), element("dd", { dir: "auto" }, cut(value, MOST_LETTERS))]);
    const button = (verdict) => element("button", { type: "button", "data-wish": verdict, "aria-pressed": "false" },
      verdict === "?" ? "Cannot tell" : verdict === "yes" ? "Yes" : "No");
    const line = element("tr", { "data-place": place },
      element("td", { class: "number" }, count(rank)),
      element("th", { scope: "row" },
        element("button", { type: "button", class: "open", dir: "auto", title: "Show this record" }, id)),
      element("td", {}, ...(text ? [element("p", { dir: "auto" }, cut(text, MOST_LETTERS))] : []),
        ...(told.length ? [element("dl", {}, ...told)] : [])),
      element("td", {}, element("div", { class: "buttons", role: "group", "aria-label": `Verdict on ${id}` },
        ...["yes", "no", "?"].map(button))),
      element("td", {}, noteOf(place, { rows: 1, "aria-label": `Note on ${id}` })));
    lines.set(place, line);
    showLine(place);
    return line;
  }
  function showLine(place) {
    const line = lines.get(place);
    if (!line) return;
    showVerdict(line, marks.of(place).verdict);
    showNote(line.querySelector("textarea"), place);
    if (place === at) line.setAttribute("aria-current", "true");
    else line.removeAttribute("aria-current");
  }
  const drawTable = () => byId("all").tBodies[0].replaceChildren(...shown.map(lineOf));

  // Show one record or the table, and the verdict of the chosen row.
  function draw() {
    const empty = shown.length === 0;
    byId("record").hidden = inTable || empty;
    byId("table").hidden = !inTable || empty;
    byId("bar").hidden = empty;
    byId("nothing").hidden = !empty;
    if (empty) return;
    if (inTable) {
      drawTable();
      lineOf(at).scrollIntoView({ block: "nearest" });
    } else drawRecord();
    showChosen();
  }
  function showChosen() {
    byId("chosen").textContent = `${count(at + 1)} of ${count(rows.length)}: ${nameOf(at)}`;
    showVerdict(byId("bar"), marks.of(at).verdict);
  }
  function say() {
    const verdicts = all.map((place) => marks.of(place).verdict);
    const n = (wanted) => verdicts.filter((each) => each === wanted).length;
    const nChecked = rows.length - n("");
    byId("done").value = nChecked;
    byId("progress").replaceChildren(strong(`${count(nChecked)} of ${count(rows.length)} checked`),
      `: ${count(n("yes"))} yes, ${count(n("no"))} no, ${count(n("?"))} cannot tell. `,
      ...(nChecked && nChecked === rows.length ? ["All rows are checked: save the sheet. "] : []), last);
    if (steps) sayKnown(countPositives(steps, verdicts, rows.map(({ verdict }) => verdict)));
    sheets();
  }
  function sayKnown({ point, low, high, nGiven, nWaiting }) {
    for (const [id, value] of Object.entries({ point, low, high })) {
      byId(id).value = value;
      byId(id).textContent = count(value);
    }
    byId("estimate").hidden = !nGiven;
    byId("waiting").textContent = !nGiven ? "Nothing is known before the first verdict."
      : nWaiting ? `${many(nWaiting, "verdict")} of later rows ${nWaiting === 1 ? "waits" : "wait"} for an earlier row `
        + "that has no verdict: verdicts count in the order of the rows." : "";
  }

  // Rows were changed on this page, in another tab with this page, or by reading a sheet.
  function showChanges(places) {
    places.forEach(showLine);
    if (byId("note") && places.includes(at)) showNote(byId("note"), at);
    if (shown.length) showChosen();
    say();
  }
  function choose(open) {
    shown = open ? all.filter(isOpen) : all;
    byId("open").setAttribute("aria-pressed", String(open));
    byId("every").setAttribute("aria-pressed", String(!open));
    if (!shown.includes(at)) at = shown.find((place) => place > at) ?? shown[0] ?? at;
    draw();
  }
  function view(asTable) {
    inTable = asTable;
    byId("as-table").setAttribute("aria-pressed", String(asTable));
    byId("as-record").setAttribute("aria-pressed", String(!asTable));
    draw();
  }
  function go(place) {
    const before = at;
    at = place;
    if (!shown.includes(place)) choose(false);
    else if (inTable) [before, at].forEach(showLine);
    else if (before !== at) drawRecord();
    showChosen();
    if (inTable) lineOf(at).querySelector(".open").focus();
    else if (before !== at && byId("record").getBoundingClientRect().top < 0) byId("record").scrollIntoView();
  }
  function judge(verdict) {
    last = `Last: ${nameOf(at)}: ${WORDS[verdict]}.`;
    marks.set([[at, { verdict }]]);
    const later = shown.filter((place) => place > at);
    go(later.find(isOpen) ?? shown.find(isOpen) ?? later[0] ?? at);
  }
  function act(wish) {
    const i = shown.indexOf(at);
    if (wish in WORDS) judge(wish);
    else if (wish === "back") go(shown[Math.max(i - 1, 0)]);
    else if (wish === "forward") go(shown[Math.min(i + 1, shown.length - 1)]);
    else {
      const places = marks.undo();
      last = places.length ? `Undone: ${places.length > 1 ? many(places.length, "row") : nameOf(places[0])}.`
        : "There is nothing to undo.";
      if (places.length) go(places[0]);
      say();
    }
  }

  document.addEventListener("keydown", (event) => {
    const wish = byId("keys").checked && shown.length && wishOf(event);
    if (!wish) return;
    event.preventDefault();
    act(wish);
  });
  byId("bar").addEventListener("click", ({ target }) => {
    const wish = target.closest("[data-wish]")?.dataset.wish;
    if (wish) act(wish);
  });
  byId("all").addEventListener("focusin", ({ target }) => {
    const line = target.closest("tr[data-place]");
    if (!line) return;
    const before = at;
    at = Number(line.dataset.place);
    [before, at].forEach(showLine);
    showChosen();
  });
  byId("all").addEventListener("click", ({ target }) => {
    const wish = target.closest("[data-wish]")?.dataset.wish;
    if (wish) {
      last = `Last: ${nameOf(at)}: ${WORDS[wish]}.`;
      marks.set([[at, { verdict: wish }]]);
    } else if (target.closest(".open")) view(false);
  });
  byId("as-record").addEventListener("click", () => view(false));
  byId("as-table").addEventListener("click", () => view(true));
  byId("every").addEventListener("click", () => choose(false));
  byId("open").addEventListener("click", () => choose(true));
  window.addEventListener("beforeprint", drawTable);
  draw();
  say();
})();
