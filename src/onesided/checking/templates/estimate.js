// The number of positives and its interval, as `Audit.count` computes them for an anytime audit.
// The Python modules onesided.audit._bets and _anytime explain the equations. They have computed
// all numbers that do not depend on later verdicts.
//   steps: the result of `Audit.page_constants`
//   verdicts: "yes", "no", "?" or "" for each row of the page
//   before: the verdicts when the page was made
function countPositives(steps, verdicts, before) {
  const { events } = steps;
  const codes = { 1: "yes", 0: "no", [-1]: "?", [-2]: "" };
  const given = events.row.map((row, i) => (row === null ? codes[events.verdict[i]] : verdicts[row]));
  const firstOpen = given.indexOf("");
  const nUsed = firstOpen < 0 ? given.length : firstOpen;
  // If a verdict is corrected, the limits that later batches started from are no longer known.
  const wrong = events.row.findIndex((row) =>
    row !== null && ["yes", "no"].includes(before[row]) && verdicts[row] !== before[row]);
  const isVoid = (i) => wrong >= 0 && wrong < events.begun[i];
  // The lower limit counts rows with the verdict "?" as negative, the upper limit as positive.
  const [lowest] = limits(steps, given, nUsed, isVoid, ["yes"]);
  const [, highest] = limits(steps, given, nUsed, isVoid, ["yes", "?"]);
  const [low, high] = [Math.min(lowest, highest), Math.max(lowest, highest)];
  return {
    point: Math.min(Math.max(expectedTotal(steps, given), low), high),
    low,
    high,
    nGiven: given.filter(Boolean).length,
    nWaiting: given.filter((verdict, i) => i >= nUsed && verdict && isByChance(events, i)).length,
  };
}

// Rows that were not drawn by chance are not evidence about other rows.
const isByChance = (events, i) => events.rest?.[i] != null;

// For rows that are not decided, the share of positives among the rows of the same stratum that
// were drawn by chance counts. The strata are those of the latest draw that is decided.
function expectedTotal({ strata: cuts, events }, given) {
  const isDecided = given.map((verdict) => verdict === "yes" || verdict === "no");
  const last = isDecided.reduce((cut, decided, i) =>
    (decided && isByChance(events, i) ? Math.max(cut, events.cut[i]) : cut), 0);
  const { size: sizes, guess, of } = cuts[last];
  const strata = sizes.map((size, s) => ({ open: size, found: 0, drawn: 0, positive: 0, guess: guess[s] }));
  given.forEach((verdict, i) => {
    if (!isDecided[i]) return;
    const stratum = strata[of[events.stratum[i]]];
    const isPositive = verdict === "yes";
    const isDrawn = isByChance(events, i);
    stratum.open -= 1;
    stratum.found += isPositive;
    stratum.drawn += isDrawn;
    stratum.positive += isDrawn && isPositive;
  });
  return strata.reduce((sum, each) =>
    sum + each.found + each.open * (each.drawn ? each.positive / each.drawn : each.guess), 0);
}

function limits(steps, given, nUsed, isVoid, positive) {
  const least = given.filter((verdict) => positive.includes(verdict)).length;
  const most = least + steps.n_rows - given.filter(Boolean).length;
  const bets = betsOn(steps, isVoid, given.slice(0, nUsed).map((verdict) => positive.includes(verdict)));
  if (!bets.length || least === most) return [least, most];
  const start = bets.reduce((high, bet) => Math.max(high, bet.low), -Infinity);
  const end = bets.reduce((low, bet) => Math.min(low, bet.high), Infinity);
  const wins = (side) => (total) => bets.reduce((sum, bet) =>
    sum + Math.log1p(bet[side] * (bet.found - total)), -Math.log(2 / steps.error));
  if (start > end) return [least, most];
  const lower = lastRejected(wins("more"), start, end);
  const upper = lastRejected(wins("less"), end, lower);
  const [low, high] = [Math.max(lower, least), Math.min(upper, most)];
  return low <= high ? [low, high] : [least, most]; // certain limits override the bets
}

// For each row that was drawn by chance: the estimate of the total, and the shares of the fortune
// that are bet on a higher and on a lower total.
function betsOn({ events, aim, error, n_rows: nRows, most_bet: mostBet }, isVoid, positive) {
  const tiny = 1e-9;
  const bets = [];
  let known = 0;
  let information = 0;
  positive.forEach((isPositive, i) => {
    if (isByChance(events, i)) {
      const spread = Math.max(events.spread[i], tiny);
      const wanted = aim * (known + events.rest[i]);
      information += wanted ** 2 / spread;
      const bet = (wanted / spread) * Math.sqrt(Math.min(1, (2 * Math.log(2 / error)) / Math.max(information, tiny)));
      const bounded = (away) => Math.min(bet, mostBet / Math.max(away, tiny));
      const [low, high] = isVoid(i) ? [0, nRows] : [events.low[i], events.high[i]];
      bets.push({
        low,
        high,
        found: known + (isPositive ? events.if_yes[i] : events.if_no[i]),
        more: bounded(high - known - events.least[i]),
        less: -bounded(known + events.most[i] - low),
      });
    }
    known += isPositive;
  });
  return bets;
}

// The last total from `start` towards `end` up to which every total is rejected, by bisection.
// If `start` is not rejected, this is `start`.
function lastRejected(wins, start, end) {
  if (start === end || wins(start) < 0) return start;
  if (wins(end) >= 0) return end;
  let [rejected, kept] = [start, end];
  while (Math.abs(kept - rejected) > 1e-10 * Math.max(1, Math.abs(kept))) {
    const middle = (rejected + kept) / 2;
    if (wins(middle) >= 0) rejected = middle;
    else kept = middle;
  }
  return kept;
}
