import { countBy } from '../figures.mjs';
import { saysProcessEnded } from './judge-python.mjs';

/** @import { Ledger } from '../load/ledger.mjs' */
/** @import { Invariant, Seen } from './judge.mjs' */

/** Success, an unavailable server (503) and a passed deadline (504). */
const EXPECTED_STATUSES = [200, 202, 503, 504];
const STOPS_WITHIN_MILLISECONDS = 2_000;

/**
 * Checks the invariants of answers to callers.
 * @param {Seen} seen
 * @returns {Invariant[]}
 */
export function judgeAnswers(seen) {
  return [
    {
      id: 'I10',
      promise: 'an answer equals the stored result, byte for byte',
      found: differentAnswers(seen),
    },
    { id: 'A1', promise: 'no caller waits past the deadline', found: hung(seen) },
    {
      id: 'A2',
      promise: 'failures are 503 with Retry-After, 504, or 429 at the limit of a trigger',
      found: unexpectedFailures(seen),
    },
    { id: 'A3', promise: 'a stream ends once and contains one attempt', found: wrongStreams(seen) },
    {
      id: 'A4',
      promise: 'a run is cancelled and stops soon after its caller disconnects',
      found: notCancelled(seen),
    },
  ];
}

/** @param {Seen} seen */
function differentAnswers({ ledger, stored }) {
  /** @type {string[]} */
  const found = [];
  const byKey = new Map();
  for (const { status, runId, key, body } of ledger.runs) {
    if (status !== 200) continue;
    const run = stored.runs.get(runId ?? '');
    // An interactive run whose executor crashes after the answer is executed and recorded a second time.
    const isComparable = run !== undefined && (run.durable || run.attempt === 1);
    if (isComparable && run.status === 'succeeded' && run.result !== body)
      found.push(
        `${runId} was answered with ${body.slice(0, 120)}…, stored is ${String(run.result).slice(0, 120)}…`,
      );
    if (key === undefined) continue;
    if (run === undefined) found.push(`${runId} has the key ${key} and no row`);
    const first = byKey.get(key);
    if (first === undefined) byKey.set(key, { runId, body });
    else if (first.runId !== runId || first.body !== body) found.push(`${key} got two different answers`);
  }
  return found;
}

/** @param {Seen} seen */
function hung({ ledger }) {
  return ledger
    .answers()
    .filter(({ problem }) => problem === 'NO_ANSWER')
    .map(({ kind, token, startedAt }) => `${kind} ${token ?? ''} of ${new Date(startedAt).toISOString()}`);
}

/** @param {Seen} seen */
function unexpectedFailures({ ledger }) {
  return ledger
    .answers()
    .filter((answer) => !saysProcessEnded(answer))
    .filter(
      ({ kind, status, retryAfter }) =>
        status !== 0 &&
        !(kind === 'delivery' && status === 429 && retryAfter !== undefined) &&
        (!EXPECTED_STATUSES.includes(status) || (status === 503 && retryAfter === undefined)),
    )
    .map(({ kind, status, errorBody }) => `${kind} ${status}: ${errorBody}`);
}

/** @param {Seen} seen */
function wrongStreams({ ledger }) {
  /** @type {string[]} */
  const found = [];
  for (const { token, runId, text, missesTokens } of wholeStreams(ledger))
    if (missesTokens === undefined)
      found.push(`${token} (${runId}) succeeded with wrong tokens: ${text.slice(0, 200)}`);
  for (const { token, status, ends, errors, problem, isWhole } of ledger.streams) {
    if (ends > 1) found.push(`${token} ended ${ends} times`);
    if (status === 200 && ends + errors.length === 0)
      found.push(`${token} stopped without an end (${problem ?? 'closed'})`);
    if (status === 200 && !isWhole) found.push(`${token} contains data that is not an event`);
  }
  return found;
}

/**
 * Returns the streams that lost tokens, as { token, runId, startedAt }. A gateway whose connection to the broker breaks
 * loses the frames in its queue; the last event still contains the whole answer.
 * @param {Ledger} ledger
 */
export function streamsWithGaps(ledger) {
  return wholeStreams(ledger)
    .filter(({ missesTokens }) => missesTokens === true)
    .map(({ token, runId, startedAt }) => ({ token, runId, startedAt }));
}

/**
 * Returns the streams that succeeded; `missesTokens` is undefined where tokens are repeated or wrong.
 * @param {Ledger} ledger
 */
function wholeStreams({ streams }) {
  const whole = streams.filter(({ ends, errors }) => ends === 1 && errors.length === 0);
  const expected = mostCommon(whole.map(({ text }) => text));
  return whole.map((stream) => ({
    ...stream,
    missesTokens: stream.text === expected ? false : isPartOf(stream.text, expected) ? true : undefined,
  }));
}

/**
 * Returns whether `part` is `whole` without some of its words; a token is a word with the blank before it.
 * @param {string} part
 * @param {string} whole
 */
function isPartOf(part, whole) {
  const words = part.split(' ').filter((word) => word !== '');
  let found = 0;
  for (const word of whole.split(' ')) if (words[found] === word) found += 1;
  return found === words.length;
}

/**
 * Returns the most common text. All streams have the same tokens, so a different text is wrong.
 * @param {readonly string[]} texts
 */
function mostCommon(texts) {
  return Object.entries(countBy(texts)).sort(([, left], [, right]) => right - left)[0]?.[0] ?? '';
}

/** @param {Seen} seen */
function notCancelled({ ledger, sink, stored }) {
  /** @type {string[]} */
  const found = [];
  for (const { token, disconnectedAt, kind } of ledger.disconnectedCallers) {
    // Both kinds take so long that they cannot end before the cancellation.
    for (const { id, status, sessionId } of stored.runs.values())
      if (sessionId === token && status !== 'cancelled') found.push(`${token} (${id}) is ${status}`);
    if (kind !== 'run') continue;
    const stopped = sink.broken.find((one) => one.token === token);
    const began = [...sink.effects.values()].some((effect) => effect.token === token);
    if (began && stopped === undefined) found.push(`${token} was not stopped`);
    else if (stopped !== undefined && stopped.at - disconnectedAt > STOPS_WITHIN_MILLISECONDS)
      found.push(`${token} was stopped only after ${stopped.at - disconnectedAt} ms`);
  }
  return found;
}
