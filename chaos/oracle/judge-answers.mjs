import { countBy } from '../figures.mjs';

/** Besides success: a server that is away, a deadline that passed. */
const HONEST_STATUSES = [200, 202, 503, 504];
const STOPS_WITHIN_MILLISECONDS = 2_000;

/** What callers may be told. */
export function judgeAnswers(seen) {
  return [
    { id: 'I10', promise: 'an answer is what is stored, byte for byte', found: differentAnswers(seen) },
    { id: 'A1', promise: 'nobody is kept waiting past the deadline', found: hung(seen) },
    { id: 'A2', promise: 'failures are 503 with Retry-After or 504', found: dishonest(seen) },
    { id: 'A3', promise: 'a stream ends once and holds one attempt', found: wrongStreams(seen) },
    { id: 'A4', promise: 'a run is cancelled and stops soon after its caller left', found: unstopped(seen) },
  ];
}

function differentAnswers({ ledger, stored }) {
  const found = [];
  const byKey = new Map();
  for (const { status, runId, key, body } of ledger.runs) {
    if (status !== 200) continue;
    const run = stored.runs.get(runId);
    // A fast run whose executor died after answering is run, and so recorded, a second time.
    const isComparable = run !== undefined && (run.durable || run.attempt === 1);
    if (isComparable && run.status === 'succeeded' && run.result !== body)
      found.push(
        `${runId} was answered with ${body.slice(0, 120)}…, stored is ${String(run.result).slice(0, 120)}…`,
      );
    if (key === undefined) continue;
    if (run === undefined) found.push(`${runId} has the key ${key} and no row`);
    const first = byKey.get(key);
    if (first === undefined) byKey.set(key, { runId, body });
    else if (first.runId !== runId || first.body !== body) found.push(`${key} was answered in two ways`);
  }
  return found;
}

function hung({ ledger }) {
  return ledger
    .answers()
    .filter(({ problem }) => problem === 'NO_ANSWER')
    .map(({ kind, token, startedAt }) => `${kind} ${token ?? ''} of ${new Date(startedAt).toISOString()}`);
}

function dishonest({ ledger }) {
  return ledger
    .answers()
    .filter(
      ({ status, retryAfter }) =>
        status !== 0 && (!HONEST_STATUSES.includes(status) || (status === 503 && retryAfter === undefined)),
    )
    .map(({ kind, status, said }) => `${kind} ${status}: ${said}`);
}

function wrongStreams({ ledger }) {
  const found = [];
  for (const { token, runId, text, missesTokens } of wholeStreams(ledger))
    if (missesTokens === undefined)
      found.push(`${token} (${runId}) ended well with tokens of another story: ${text.slice(0, 200)}`);
  for (const { token, status, ends, errors, problem, isWhole } of ledger.streams) {
    if (ends > 1) found.push(`${token} ended ${ends} times`);
    if (status === 200 && ends + errors.length === 0)
      found.push(`${token} stopped without an end (${problem ?? 'closed'})`);
    if (status === 200 && !isWhole) found.push(`${token} holds something that is no event`);
  }
  return found;
}

/**
 * Streams that lost tokens on their way, { token, runId, startedAt }. A gateway whose connection to the broker breaks
 * loses the frames that were in its queue; the last event holds the whole answer all the same.
 */
export function streamsWithGaps(ledger) {
  return wholeStreams(ledger)
    .filter(({ missesTokens }) => missesTokens === true)
    .map(({ token, runId, startedAt }) => ({ token, runId, startedAt }));
}

/** Those that ended well; `missesTokens` is undefined where tokens are repeated or are others'. */
function wholeStreams({ streams }) {
  const whole = streams.filter(({ ends, errors }) => ends === 1 && errors.length === 0);
  const expected = mostCommon(whole.map(({ text }) => text));
  return whole.map((stream) => ({
    ...stream,
    missesTokens: stream.text === expected ? false : isPartOf(stream.text, expected) ? true : undefined,
  }));
}

/** Whether leaving out words of the whole gives the part; a token is a word with the blank before it. */
function isPartOf(part, whole) {
  const words = part.split(' ').filter((word) => word !== '');
  let found = 0;
  for (const word of whole.split(' ')) if (words[found] === word) found += 1;
  return found === words.length;
}

/** All are told the same story, so what differs is wrong. */
function mostCommon(texts) {
  return Object.entries(countBy(texts)).sort(([, left], [, right]) => right - left)[0]?.[0] ?? '';
}

function unstopped({ ledger, sink, stored }) {
  const found = [];
  for (const { token, leftAt, kind } of ledger.leavers) {
    // Both take so long that no end but this one can come first.
    for (const { id, status, sessionId } of stored.runs.values())
      if (sessionId === token && status !== 'cancelled') found.push(`${token} (${id}) is ${status}`);
    if (kind !== 'run') continue;
    const stopped = sink.broken.find((one) => one.token === token);
    const began = [...sink.effects.values()].some((effect) => effect.token === token);
    if (began && stopped === undefined) found.push(`${token} went on to its end`);
    else if (stopped !== undefined && stopped.at - leftAt > STOPS_WITHIN_MILLISECONDS)
      found.push(`${token} went on for ${stopped.at - leftAt} ms`);
  }
  return found;
}
