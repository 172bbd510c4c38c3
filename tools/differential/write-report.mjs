import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import outOfReach from './out-of-reach.json' with { type: 'json' };
import { causeIn, typesOf } from './try-case.mjs';

/** @import { Case, Difference, OpenDifference, Result, WantedDifference } from './case.ts' */
/** @import { Entry } from './trend.mjs' */

/**
 * @typedef {object} Run
 * @property {number} seed
 * @property {string} commit
 * @property {readonly Result[]} results
 * @property {readonly WantedDifference[]} wanted
 * @property {readonly OpenDifference[]} open
 * @property {readonly string[]} types all native types of the server
 * @property {number} seconds
 */

/**
 * @typedef {object} Cause The first difference of one or more cases.
 * @property {string} cause
 * @property {number[]} cases
 * @property {number[]} failed those that fail on both sides
 * @property {readonly string[]} types that the flows were generated around
 * @property {readonly string[]} also what else differs in these cases
 * @property {Difference} example
 * @property {Case} [smallest]
 */

/** At least this share of runs must succeed on Langflow with outputs. */
const SUCCESSES = 0.6;
/** So often each type must succeed on Langflow in a run of so many cases. */
const [SUCCESSES_OF_TYPE, WHOLE_RUN] = [20, 4000];

/**
 * Counts what became of the cases, by cause and by type.
 * @param {Run} run
 */
export function summarise({ seed, commit, results, wanted, open, types, seconds }) {
  const runs = results.filter(({ ran }) => ran !== null);
  const outcomes = { equal: 0, different: 0, wanted: 0, open: 0, 'both fail': 0 };
  /** @type {Map<string, Cause>} */
  const causes = new Map();
  for (const { id, types: own, outcome, ran, differences, smallest } of results) {
    outcomes[outcome] += 1;
    const [first, ...others] = differences;
    if (first === undefined) continue;
    const cause = causeIn(first, ran === null ? [] : own);
    const entry = causes.get(cause) ?? { cause, cases: [], failed: [], types: [], also: [], example: first };
    causes.set(cause, entry);
    entry[outcome === 'both fail' ? 'failed' : 'cases'].push(id);
    entry.types = [...new Set([...entry.types, ...own.slice(0, 1)])];
    entry.also = [...new Set([...entry.also, ...others.map((other) => causeIn(other, []))])];
    entry.smallest ??= smallest;
  }
  return {
    seed,
    commit,
    cases: results.length,
    seconds,
    // Of first plays, one after the other.
    playSeconds: {
      langflow: secondsOf(results.map(({ milliseconds }) => milliseconds.langflow)),
      millrace: secondsOf(results.map(({ milliseconds }) => milliseconds.millrace)),
    },
    outcomes,
    runs: {
      total: runs.length,
      langflow: runs.filter(({ ran }) => ran?.langflow).length,
      millrace: runs.filter(({ ran }) => ran?.millrace).length,
    },
    causes: [...causes.values()].sort((one, other) => other.cases.length - one.cases.length),
    wanted: wanted.map((entry, index) => ({
      ...entry,
      hidden: results.filter(({ hiddenBy }) => hiddenBy.includes(index)).length,
    })),
    open: open.map((entry, index) => ({
      ...entry,
      cases: results.filter(({ knownBy }) => knownBy.includes(index)).length,
    })),
    types: types.map((type) => countType(type, results)),
    forms: [...new Set(results.map(({ form }) => form))].sort().map((form) => {
      const own = results.filter((result) => result.form === form);
      return { form, cases: own.length, ...countOutcomes(own) };
    }),
  };
}

/**
 * @param {string} type
 * @param {readonly Result[]} results
 */
function countType(type, results) {
  const own = results.filter((result) => result.ran !== null && result.types.includes(type));
  return {
    type,
    generated: own.length,
    succeeded: own.filter(({ ran }) => ran?.langflow).length,
    ...countOutcomes(own),
    outOfReach: /** @type {Readonly<Record<string, string | undefined>>} */ (outOfReach)[type] ?? null,
  };
}

/** @param {readonly Result[]} results */
function countOutcomes(results) {
  const count = (/** @type {Result['outcome']} */ name) =>
    results.filter(({ outcome }) => outcome === name).length;
  return {
    equal: count('equal'),
    wanted: count('wanted'),
    different: count('different'),
    open: count('open'),
    bothFail: count('both fail'),
  };
}

/** @param {readonly number[]} milliseconds */
const secondsOf = (milliseconds) => Math.round(milliseconds.reduce((sum, one) => sum + one, 0) / 1000);

/** @typedef {ReturnType<typeof summarise>} Summary */

/**
 * Returns why a run fails, as sentences; none when it found nothing.
 * @param {Summary} summary
 */
export function failuresOf({ cases, outcomes, runs, wanted, open, types }) {
  const unused = wanted.filter(({ hidden }) => hidden === 0).map(({ route, member }) => `${route} ${member}`);
  const mended = open.filter(({ cases: shown }) => shown === 0).map(({ why }) => why);
  const rare = types.filter(
    ({ succeeded, outOfReach: reason }) => reason === null && succeeded < SUCCESSES_OF_TYPE,
  );
  return [
    cases < WHOLE_RUN || rare.length === 0
      ? ''
      : `Types with fewer than ${SUCCESSES_OF_TYPE} successes: ${rare.map(({ type, succeeded }) => `${type} ${succeeded}`).join(', ')}.`,
    outcomes.different === 0 ? '' : `${outcomes.different} cases differ.`,
    runs.langflow >= SUCCESSES * runs.total
      ? ''
      : `Only ${runs.langflow} of ${runs.total} runs succeed on Langflow.`,
    cases < WHOLE_RUN || unused.length === 0
      ? ''
      : `Wanted differences that no case had: ${unused.join(', ')}.`,
    cases < WHOLE_RUN || mended.length === 0
      ? ''
      : `Known defects that no case showed: ${mended.join('; ')}.`,
  ].filter((sentence) => sentence !== '');
}

/**
 * Writes report.json and report.html.
 * @param {string} folder
 * @param {Summary} summary
 * @param {readonly Entry[]} trend
 */
export function writeReport(folder, summary, trend) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'report.json'), JSON.stringify({ ...summary, trend }, null, 1));
  writeFileSync(join(folder, 'report.html'), html(summary, trend));
}

/**
 * @param {Summary} summary
 * @param {readonly Entry[]} trend
 */
function html({ seed, commit, cases, seconds, outcomes, runs, causes, wanted, open, types, forms }, trend) {
  const causeRows = causes.map(({ cause, cases: ids, failed, example, smallest, types: own, also }) => [
    String(ids.length),
    String(failed.length),
    `${escaped(cause)}<details><summary>${also.length} more</summary>${also.map(escaped).join('<br>')}</details>`,
    smallest === undefined ? own.join(', ') : typesOf(smallest).join(', '),
    code(example.left),
    code(example.right),
    `<details><summary>${[...ids, ...failed].slice(0, 5).join(', ')}</summary>${code(smallest)}</details>`,
  ]);
  return `<!doctype html><meta charset="utf-8"><title>Differential run ${seed}</title>
<style>body{font:14px sans-serif}td,th{border:1px solid #ccc;padding:3px;vertical-align:top;text-align:left}pre{max-width:26em;max-height:12em;overflow:auto;white-space:pre-wrap;margin:0}</style>
<h1>Langflow and Millrace, seed ${seed}, commit ${commit}</h1>
<p>${cases} cases: ${outcomes.equal} equal, ${outcomes.different} different, ${outcomes.wanted} with wanted differences only, ${outcomes.open} with known defects only,
${outcomes['both fail']} fail on both with different answers. ${runs.langflow} of ${runs.total} runs succeed on Langflow with outputs,
${runs.millrace} on Millrace. ${seconds} s.</p>
<h2>Runs of other commits and seeds</h2>${table(TREND, trend.map(trendRow))}
<h2>Causes</h2>${table(['cases', 'fail on both', 'kind, route, path', 'smallest flow', 'Langflow', 'Millrace', 'cases'], causeRows)}
<h2>Wanted differences</h2>${table(
    ['hides', 'route', 'member', 'reason', 'compatibility.md'],
    wanted.map(({ hidden, route, member, reason, page }) => [
      String(hidden),
      route,
      member,
      reason,
      escaped(page),
    ]),
  )}
<h2>Known defects</h2>${table(
    ['cases', 'route', 'member', 'why'],
    open.map(({ cases: shown, route, member, why }) => [String(shown), route, member, escaped(why)]),
  )}
<h2>Native types</h2>${table(
    ['type', 'generated', 'succeed on Langflow', ...OUTCOMES, 'not run because it'],
    types.map(({ type, generated, succeeded, outOfReach: reason, ...counts }) => [
      type,
      ...[generated, succeeded, ...outcomesOf(counts)].map(String),
      reason ?? '',
    ]),
  )}
<h2>Forms</h2>${table(
    ['form', 'cases', ...OUTCOMES],
    forms.map(({ form, cases: count, ...counts }) => [form, ...[count, ...outcomesOf(counts)].map(String)]),
  )}`;
}

const OUTCOMES = ['equal', 'wanted', 'open', 'different', 'both fail'];
const TREND = [
  'time',
  'commit',
  'seed',
  'cases',
  ...OUTCOMES,
  'causes',
  'runs',
  'succeed on Langflow',
  'seconds',
];

/** @param {ReturnType<typeof countOutcomes>} counts */
const outcomesOf = ({ equal, wanted, open, different, bothFail }) => [
  equal,
  wanted,
  open,
  different,
  bothFail,
];

/** @param {Entry} entry */
const trendRow = ({ at, commit, seed, cases, outcomes, causes, runs, seconds }) => [
  at.slice(0, 16),
  commit.slice(0, 8),
  ...[
    seed,
    cases,
    outcomes.equal,
    outcomes.wanted,
    outcomes.open ?? 0,
    outcomes.different,
    outcomes['both fail'],
  ].map(String),
  ...[causes, runs.total, runs.langflow, seconds].map(String),
];

/**
 * @param {readonly string[]} head
 * @param {readonly (readonly string[])[]} rows
 */
function table(head, rows) {
  const line = (/** @type {string} */ tag, /** @type {readonly string[]} */ cells) =>
    `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`;
  return `<table>${line('th', head)}${rows.map((row) => line('td', row)).join('\n')}</table>`;
}

/** @param {unknown} value */
const code = (value) => `<pre>${escaped(value === undefined ? 'absent' : JSON.stringify(value))}</pre>`;

/** @param {string} text */
const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
