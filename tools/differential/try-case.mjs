import { comparePlays } from './compare-plays.mjs';
import { playCase, stepsOf } from './play-case.mjs';
import { objectOf } from './read-events.mjs';
import { shrinkCase } from './shrink-case.mjs';
import { divideDifferences } from './wanted-differences.mjs';

/** @import { Answer, Case, Difference, Json, OpenDifference, Play, Result, WantedDifference } from './case.ts' */
/** @import { Target } from './open-targets.mjs' */

/**
 * @typedef {object} Pair Both servers, and a user of each.
 * @property {Target} langflow
 * @property {Target} millrace
 * @property {{ readonly langflow: string, readonly millrace: string }} keys
 * @property {string} echo
 */

const SHOWN_CHARACTERS = 600;
/** So often a case is played again that Langflow's database disturbed. */
const DISTURBED_PLAYS = 3;
const RUN = /^POST \/api\/(?:v1\/(?:run|responses)|v2\/workflows)/;
let count = 0;

/**
 * Plays a case on both servers and compares. A difference counts when it comes twice, or is known.
 * @param {Case} tried
 * @param {Pair} pair
 * @param {{ readonly wanted: readonly WantedDifference[], readonly open: readonly OpenDifference[], readonly isKnown: (cause: string) => boolean,
 *   readonly shrinks: (cause: string) => boolean, readonly plays: number }} options
 * @returns {Promise<Result>}
 */
export async function tryCase(tried, pair, { wanted, open, isKnown, shrinks, plays: left }) {
  const first = await playBoth(tried, pair);
  const all = comparePlays(tried, ...first);
  const ran = ranOf(tried, first);
  const bothFail = ran !== null && !ran.langflow && !ran.millrace;
  const isClear =
    bothFail || divideDifferences(all, wanted, typesOf(tried)).rest.every((one) => isKnown(causeOf(one)));
  const again = isClear ? all : comparePlays(tried, ...(await playBoth(tried, pair)));
  const lasting = all.filter((one) => again.some((other) => causeOf(one) === causeOf(other)));
  const { rest, hiddenBy } = divideDifferences(lasting, wanted, typesOf(tried));
  const { rest: unknown, hiddenBy: knownBy } = divideDifferences(rest, open, typesOf(tried));
  const outcome = outcomeOf({ lasting, rest, unknown }, bothFail);
  const [sought] = rest;
  const smallest =
    sought === undefined || bothFail || !shrinks(causeIn(sought, typesOf(tried)))
      ? undefined
      : await shrinkCase(tried, async (smaller) => shows(smaller, sought, pair), left);
  return {
    id: tried.id,
    form: tried.form,
    types: typesOf(tried),
    routes: tried.steps.filter(({ isSetup }) => !isSetup).map(({ route }) => route),
    outcome,
    ran,
    differences: rest.map((one) => ({ ...one, left: shown(one.left), right: shown(one.right) })),
    hiddenBy,
    knownBy,
    milliseconds: { langflow: first[0].milliseconds, millrace: first[1].milliseconds },
    smallest,
  };
}

/**
 * @param {{ readonly lasting: readonly Difference[], readonly rest: readonly Difference[], readonly unknown: readonly Difference[] }} found
 * @param {boolean} bothFail
 * @returns {Result['outcome']}
 */
function outcomeOf({ lasting, rest, unknown }, bothFail) {
  if (rest.length === 0) return lasting.length > 0 ? 'wanted' : 'equal';
  if (bothFail) return 'both fail';
  return unknown.length > 0 ? 'different' : 'open';
}

/**
 * Differences of one cause have the same route, path and kind.
 * @param {Difference} difference
 */
export const causeOf = ({ route, path, kind }) => `${kind} ${route} ${path}`;

/**
 * The cause of a case's first difference: what depends on a component names the one that the flow was generated around.
 * @param {Difference} difference
 * @param {readonly string[]} types of the flow
 */
export function causeIn(difference, [type]) {
  const isOfComponent = difference.kind === 'status' || /^asked|text$|content$/.test(difference.path);
  return isOfComponent && type !== undefined ? `${causeOf(difference)} (${type})` : causeOf(difference);
}

/** @param {Case} tried */
export const typesOf = ({ flow }) => [...new Set((flow?.nodes ?? []).map(({ data }) => data.type))];

/**
 * @param {Case} tried
 * @param {Pair} pair
 * @returns {Promise<readonly [Play, Play]>}
 */
export async function playBoth(tried, { langflow, millrace, keys, echo }) {
  for (let left = DISTURBED_PLAYS; ; left -= 1) {
    count += 1;
    const play = `play-${process.pid}-${count}`;
    const both = await Promise.all([
      playCase(tried, { target: langflow, key: keys.langflow, echo, play }),
      playCase(tried, { target: millrace, key: keys.millrace, echo, play }),
    ]);
    if (left === 0 || !isDisturbed(both[0])) return both;
  }
}

/**
 * Langflow fails when another case holds its SQLite for long: that says nothing about the case.
 * @param {Play} play
 */
const isDisturbed = ({ answers }) =>
  answers.some(({ body }) =>
    /database is (?:locked|busy)|Could not delete the project/.test(JSON.stringify(body)),
  );

/**
 * @param {Case} tried
 * @param {Difference} sought
 * @param {Pair} pair
 */
async function shows(tried, sought, pair) {
  const [left, right] = await playBoth(tried, pair);
  return comparePlays(tried, left, right).some((found) => causeOf(found) === causeOf(sought));
}

/**
 * @param {Case} tried
 * @param {readonly [Play, Play]} both
 */
function ranOf(tried, [left, right]) {
  if (tried.flow === undefined) return null;
  const index = stepsOf(tried).findIndex(({ route, isSetup }) => RUN.test(route) && isSetup !== true);
  // Where the model is to fail, the failures are compared.
  if (index < 0 || /valid|border|refused/.test(tried.form)) return null;
  return { langflow: hasOutputs(left.answers[index]), millrace: hasOutputs(right.answers[index]) };
}

/** @param {Answer} answer */
function hasOutputs({ status, body }) {
  if (status !== 200) return false;
  const { order, outputs, output, status: state } = objectOf(body);
  if (Array.isArray(order)) return !order.includes('error') && order.length > 1;
  if (Array.isArray(outputs)) {
    const inner = objectOf(outputs[0]).outputs;
    return (
      Array.isArray(inner) && inner.some((one) => Object.keys(objectOf(objectOf(one).results)).length > 0)
    );
  }
  return state === 'completed' && (isFilled(outputs) || isFilled(output));
}

/** @param {Json | undefined} value */
const isFilled = (value) => typeof value === 'object' && value !== null && Object.keys(value).length > 0;

/**
 * @param {Json | undefined} value
 * @returns {Json | undefined}
 */
function shown(value) {
  const text = JSON.stringify(value);
  return text === undefined || text.length <= SHOWN_CHARACTERS
    ? value
    : `${text.slice(0, SHOWN_CHARACTERS)}…`;
}
