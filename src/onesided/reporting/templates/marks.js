"use strict";
// What the list of a report and the page that checks rows share: elements, verdicts, sheets.
const byId = (id) => document.getElementById(id);
const count = (number) => Math.round(number).toLocaleString("en-US");

// Children that are text stay text: no value of the data becomes markup.
const element = (name, attributes = {}, ...children) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
};
const strong = (text) => element("strong", {}, text);

// Only an address or a DOI becomes a link.
function linked(identifier) {
  const doi = identifier.match(/^(?:doi:\s*)?(10\.\d{4,9}\/\S+)$/i);
  const href = doi ? `https://doi.org/${encodeURI(doi[1])}` : identifier;
  if (!/^https?:\/\/\S+$/i.test(href)) return identifier;
  return element("a", { href, rel: "noopener noreferrer", target: "_blank" }, identifier);
}

// What affects a score: features with their effect and their value.
function effectsTable(effects, caption) {
  const largest = Math.max(...effects.map(([, effect]) => Math.abs(effect)));
  const lines = effects.map(([feature, effect, value]) => element("tr", {},
    element("th", { scope: "row" }, feature),
    element("td", {}, String(value)),
    element("td", {}, effect > 0 ? "raises the score" : "lowers the score"),
    element("td", {}, element("span", { class: effect > 0 ? "up" : "down",
      style: `width: ${(100 * Math.abs(effect)) / (largest || 1)}%` }))));
  return element("table", { class: "compact effects" },
    element("caption", {}, caption), element("tbody", {}, ...lines));
}

// What a key asks for. Keys with Ctrl, Alt or Cmd, and keys in a field for text, mean nothing here.
const KEYS = { y: "yes", n: "no", "?": "?", u: "undo", Backspace: "back", ArrowLeft: "back", ArrowRight: "forward" };
const MEANINGS = {{ meanings|tojson }}; // of the words of a sheet, as the command reads them
const WORDS = { yes: "yes", no: "no", "?": "cannot tell" };
function wishOf(event) {
  if (event.ctrlKey || event.altKey || event.metaKey) return undefined;
  if (event.target.matches("textarea, select, input:not([type='checkbox'])")) return undefined;
  // A keyboard of another script has the letter in the same place.
  const isForeign = /^[^\0-\x7f]$/.test(event.key) && event.code.startsWith("Key");
  const key = isForeign ? event.code.slice(3).toLowerCase() : event.key;
  const wish = KEYS[key.length === 1 ? key.toLowerCase() : key];
  return event.repeat && wish in WORDS ? undefined : wish; // one press is one verdict
}

// A verdict in a list, and the buttons of a verdict.
const verdictBadge = (verdict) => (verdict
  ? [element("span", { class: "verdict", "data-verdict": verdict }, WORDS[verdict]), " "] : []);
function showVerdict(buttons, verdict) {
  for (const each of buttons.querySelectorAll("[aria-pressed]")) {
    each.setAttribute("aria-pressed", String(each.dataset.wish === verdict));
  }
}

// Whether a spreadsheet may write an identifier in this way, as `is_written` of the command says: with
// an apostrophe before it, or as a number without its leading zeros.
function isWritten(identifier, written) {
  const plain = written.replace(/^'/, "");
  const number = (text) => (/^\d+$/.test(text) ? text.replace(/^0+/, "") : undefined);
  return identifier === written || identifier === plain || (plain.length < identifier.length
    && number(plain) !== undefined && number(plain) === number(identifier));
}

// Verdicts and notes on rows. Each is kept in the browser as soon as it is given, under its own key,
// so that two pages cannot overwrite each other's; of one row the later verdict counts.
//   name: of the page, the same whenever it is opened again
//   rows: of which each has id, rank, stands_for, and the verdict and the note it came with
//   changed: called with the places of the rows that changed, here or in another page
function keepMarks(name, rows, changed) {
  const prefix = `onesided ${name}\n`;
  const keyOf = (row) => `${prefix}${row.rank}\n${row.id}`;
  const marks = new Map();
  const undoable = [];
  const replaced = new Set();
  const unkept = new Map(); // what the browser could not keep so far, by key
  let places = null;
  let saved = 0;
  let store = null;
  let isFull = false;
  try {
    store = window.localStorage;
    store.setItem(prefix, "");
    store.removeItem(prefix);
  } catch { isFull = store !== null; } // a full storage can be read

  const markOf = (place) => marks.get(place)
    ?? { verdict: rows[place].verdict, note: rows[place].note, time: 0 };
  function placeOf(key) {
    places ??= new Map(rows.map((row, place) => [keyOf(row), place]));
    return places.get(key);
  }

  // Take what was kept, unless the page was made again since with another verdict of the row, or
  // has a later one that the browser could not keep.
  function take(key, text) {
    if (key === `${prefix}saved`) saved = Math.max(saved, Number(text));
    const place = placeOf(key);
    if (place === undefined) return [];
    const { verdict, note, time, of } = JSON.parse(text);
    const row = rows[place];
    if (unkept.has(key) && time <= marks.get(place).time) return [];
    if (of === `${row.verdict}\n${row.note}`) marks.set(place, { verdict, note, time });
    else if (verdict && verdict !== row.verdict) replaced.add(place);
    return [place];
  }

  // What could not be kept before may be kept now: another page may have made room.
  function put(key, text) {
    unkept.set(key, text);
    if (!store) return;
    try {
      for (const [each, waiting] of unkept) {
        store.setItem(each, waiting);
        unkept.delete(each);
      }
      isFull = false;
    } catch { isFull = true; }
  }

  function write(changes) {
    for (const [place, change] of changes) {
      const row = rows[place];
      const kept = store?.getItem(keyOf(row));
      if (kept) take(keyOf(row), kept);
      const mark = { ...markOf(place), ...change, time: Date.now() };
      marks.set(place, mark);
      put(keyOf(row), JSON.stringify({ ...mark, of: `${row.verdict}\n${row.note}` }));
    }
    changed(changes.map(([place]) => place));
  }

  // Changes are pairs of a place and what is new there.
  function set(changes) {
    undoable.push(changes.map(([place, change]) => {
      const before = markOf(place);
      return [place, Object.fromEntries(Object.keys(change).map((key) => [key, before[key]]))];
    }));
    write(changes);
  }

  function undo() {
    const changes = undoable.pop() ?? [];
    if (changes.length) write(changes);
    return changes.map(([place]) => place);
  }

  // Take the verdicts of a sheet, as one step that can be undone; null if it is another table.
  function read([head = [], ...lines], idName) {
    const column = (wanted, not) => head.findIndex((cell, i) => cell === wanted && i !== not);
    const id = column(idName);
    const [rank, verdict, note] = ["rank", "verdict", "note"].map((each) => column(each, id));
    if (Math.min(id, rank, verdict) < 0) return null;
    const found = new Map();
    const [foreign, strange] = [[], new Set()];
    const ranked = new Map(rows.map((row, place) => [row.rank, place]));
    for (const line of lines) {
      const [name, said] = [line[id] ?? "", MEANINGS[(line[verdict] ?? "").trim().toLowerCase()]];
      const there = ranked.get(Number(line[rank]));
      const place = there !== undefined && isWritten(rows[there].id, name) ? there : undefined;
      const before = found.get(place) ?? { verdict: "", note: "" };
      if (place === undefined) foreign.push(`${name} (rank ${line[rank] ?? ""})`);
      else if (said === undefined || (before.verdict && said && before.verdict !== said)) strange.add(place);
      else found.set(place, { verdict: said || before.verdict, note: line[note] || before.note });
    }
    for (const place of strange) found.delete(place);
    const changes = [...found].map(([place, given]) => [place, Object.fromEntries(
      Object.entries(given).filter(([key, value]) => value && value !== markOf(place)[key]))])
      .filter(([, change]) => Object.keys(change).length);
    if (changes.length) set(changes);
    return { fitted: found.size, changed: changes.length, foreign, strange: [...strange].map((place) => rows[place].id) };
  }

  function sheetOf(wanted, idName) {
    const lines = wanted.map((place) => {
      const { id, rank, stands_for: standsFor } = rows[place];
      return [id, rank, standsFor, markOf(place).verdict, markOf(place).note];
    });
    const cell = (value) => (typeof value === "number" ? String(value)
      : value && `"${value.replaceAll('"', '""')}"`);
    return [[idName, "rank", "stands_for", "verdict", "note"], ...lines]
      .map((line) => `${line.map(cell).join(",")}\n`).join("");
  }

  function save(text, fileName) {
    const link = element("a", { href: URL.createObjectURL(new Blob([text], { type: "text/csv" })), download: fileName });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    saved = Date.now();
    put(`${prefix}saved`, String(saved));
    changed([]);
  }

  if (store) {
    for (const key of Object.keys(store)) if (key.startsWith(prefix)) take(key, store.getItem(key));
    window.addEventListener("storage", ({ key, newValue }) => {
      if (key?.startsWith(prefix) && newValue !== null) changed(take(key, newValue));
    });
  }
  const isKept = () => store !== null && !isFull;
  const unsaved = () => [...marks.values()].filter(({ time }) => time > saved).length;
  window.addEventListener("beforeunload", (event) => { if (!isKept() && unsaved()) event.preventDefault(); });
  return {
    of: markOf,
    set,
    undo,
    read,
    sheetOf,
    save,
    unsaved,
    setNote: (place, note) => write([[place, { note }]]),
    marked: () => [...marks.keys()].filter((place) => markOf(place).verdict || markOf(place).note).sort((a, b) => a - b),
    replaced: () => [...replaced].map((place) => rows[place].id),
    savedAt: () => saved,
    isKept,
    isFull: () => isFull,
  };
}

// The cells of a sheet, by line. Spreadsheets write commas, semicolons or tabs between them.
function cellsOf(text) {
  const head = text.slice(0, text.search(/[\r\n]|$/));
  const between = [",", ";", "\t"].reduce((a, b) => (head.split(b).length > head.split(a).length ? b : a));
  const cell = new RegExp(`(?:"([^"]*(?:""[^"]*)*)"|([^${between}\r\n]*))(${between}|\r\n?|\n|$)`, "y");
  const lines = [[]];
  while (cell.lastIndex < text.length) {
    const [, quoted, plain, end] = cell.exec(text) ?? [];
    lines.at(-1).push(quoted?.replaceAll('""', '"') ?? plain ?? "");
    if (end === undefined) break;
    if (end !== between) lines.push([]);
  }
  return lines.filter((line) => line.some(Boolean));
}

// Spreadsheets also write sheets in UTF-16 and, for Western Europe, in Windows-1252.
function textOf(bytes) {
  const isWide = bytes[0] === 0xff && bytes[1] === 0xfe;
  try {
    return new TextDecoder(isWide ? "utf-16le" : "utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

const listed = (names) => names.slice(0, 5).join(", ") + (names.length > 5 ? ` and ${count(names.length - 5)} more` : "");
const many = (number, what) => `${count(number)} ${what}${number === 1 ? "" : "s"}`;

// The buttons that save a sheet and read one back, and what there is to say of both.
//   wanted: gives the places of the rows that the sheet has
function handleSheets(marks, { idName, fileName, wanted }) {
  const [said, input] = [byId("sheet-said"), byId("sheet-file")];
  byId("save").addEventListener("click", () => marks.save(marks.sheetOf(wanted(), idName), fileName));
  byId("read").addEventListener("click", () => input.click());
  input.addEventListener("change", async () => {
    const [file] = input.files;
    if (!file) return;
    const read = marks.read(cellsOf(textOf(new Uint8Array(await file.arrayBuffer()))), idName);
    input.value = "";
    if (!read) {
      said.textContent = `Nothing was read: ${file.name} lacks the column ${idName}, rank or verdict. `
        + "Choose a sheet that this page or the command wrote.";
      return;
    }
    const { fitted, changed, foreign, strange } = read;
    const parts = [`${many(fitted, "row")} of ${file.name} fitted, and ${many(changed, "row")} changed.`];
    if (foreign.length) parts.push(`${many(foreign.length, "row")} did not belong to this page: ${listed(foreign)}.`);
    if (strange.length) {
      parts.push(`${many(strange.length, "row")} had a verdict that is not yes, no or ?, or two that differ, and `
        + `did not count: ${listed(strange)}.`);
    }
    said.textContent = parts.join(" ");
  });

  // What is kept, and what is in a sheet.
  return function say() {
    const time = new Date(marks.savedAt()).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
    byId("saved").textContent = marks.savedAt()
      ? `The sheet was last saved on ${time}; ${many(marks.unsaved(), "row")} changed since.`
      : "The sheet was not saved yet.";
    const replaced = marks.replaced();
    const alerts = [];
    if (!marks.isKept()) {
      alerts.push(marks.isFull()
        ? "The storage of this browser is full: it does not keep what you enter on this page now. What it kept before "
          + "is still there. Save the sheet before you close the page."
        : "This browser does not keep what you enter on this page. Save the sheet before you close the page.");
    }
    if (replaced.length) {
      alerts.push(`This page came with other verdicts on ${listed(replaced)} than this browser had kept. `
        + "Those of the page count. Look at these rows again.");
    }
    byId("kept").textContent = alerts.join(" ");
    byId("kept").className = alerts.length ? "warning" : "";
  };
}
