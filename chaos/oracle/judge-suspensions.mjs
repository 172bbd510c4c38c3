import { EDITED } from '../suspensions/people.mjs';
import { FALLBACK, vertexOf } from '../suspensions/flows.mjs';

/** @import { Question } from '../suspensions/people.mjs' */
/** @import { Invariant, Seen } from './judge.mjs' */
/** @import { StoredRun } from './stored-runs.mjs' */

/** A person saw no answer, or that of a server that is not available: what they decided may count. */
const UNKNOWN_STATUSES = [0, 503, 504];
const TAKEN = 200;
const REFUSED = 409;
/** A person can answer in the moment in which the time is over. */
const CLOCK_MILLISECONDS = 5_000;
/** An agent wants a call of its tool, then answers. */
const MODEL_CALLS = 2;
/** The number of the request in the token that the sink answered. */
const LOOK = /_\d+$/;

/**
 * Checks the invariants of runs that wait for a person.
 * @param {Seen} seen
 * @returns {Invariant[]}
 */
export function judgeSuspensions(seen) {
  return [
    {
      id: 'S1',
      promise: 'a suspended run goes on once, with the answer that counted',
      found: wrongContinuations(seen),
    },
    {
      id: 'S2',
      promise: 'what a run did before its pause is not done again',
      found: repeatedWork(seen),
    },
    { id: 'S3', promise: 'one answer counts, each other one is refused', found: wrongAnswers(seen) },
  ];
}

/**
 * Counts what happened to runs that were suspended.
 * @param {Pick<Seen, 'people' | 'stored'>} seen
 */
export function suspensionCounts({ people: { questions }, stored: { suspensions } }) {
  const all = [...questions.values()];
  const tries = all.flatMap((question) => question.tries);
  return {
    suspended: suspensions.size,
    answered: tries.filter(({ status }) => status === TAKEN).length,
    byLink: tries.filter(({ status, door }) => status === TAKEN && door === 'link').length,
    refused: tries.filter(({ status }) => status === REFUSED).length,
    cancelled: all.filter(({ isCancelled }) => isCancelled).length,
    unanswered: all.filter(({ tries: own, isCancelled }) => own.length === 0 && !isCancelled).length,
  };
}

/**
 * Returns what a question can have been decided with: the answer that was taken; without one those whose fate is not known, and
 * the fallback.
 * @param {Question} question
 */
function possibleActions({ tries, dueAt }) {
  const of = (/** @type {readonly number[]} */ statuses) =>
    tries.filter(({ status }) => statuses.includes(status)).map(({ action }) => action);
  const taken = of([TAKEN]);
  return taken.length > 0 ? taken : [...of(UNKNOWN_STATUSES), ...(dueAt < Infinity ? [FALLBACK] : [])];
}

/** @param {Seen} seen */
function wrongContinuations({ people, sink, stored }) {
  /** @type {string[]} */
  const found = [];
  for (const question of people.questions.values()) {
    const run = stored.runs.get(question.runId);
    const suspendedAt = stored.suspensions.get(question.runId);
    if (run === undefined || suspendedAt === undefined) {
      found.push(`${question.runId} asked and is not stored as suspended`);
      continue;
    }
    if (run.status === 'cancelled' && !question.isCancelled)
      found.push(`${run.id} is cancelled without a request`);
    const effects = effectsOf(sink, run.id);
    for (const { vertex, count } of effects)
      if (count > run.attempt - suspendedAt)
        found.push(`${run.id} had ${count} effects of ${vertex} in ${run.attempt - suspendedAt} attempts`);
    if (run.status !== 'succeeded') continue;
    const possible = possibleActions(question);
    if (!possible.some((action) => isAsDecided(question, action, effects)))
      found.push(
        `${run.id} was answered with ${possible.join(' or ') || 'nothing'} and did ${JSON.stringify(effects)}`,
      );
  }
  return found;
}

/** @typedef {{ readonly vertex: string, readonly token: string, readonly count: number }} EffectOfRun */

/**
 * @param {Seen['sink']} sink
 * @param {string} runId
 * @returns {EffectOfRun[]}
 */
function effectsOf({ effects }, runId) {
  return [...effects]
    .filter(([, effect]) => effect.runId === runId)
    .map(([key, { token, count }]) => ({ vertex: key.slice(runId.length + 1), token, count }));
}

/**
 * @param {Question} question
 * @param {string} action
 * @param {readonly EffectOfRun[]} effects
 */
function isAsDecided({ flow, token }, action, effects) {
  if (flow === 'asking')
    return effects.length === 1 && effects[0].vertex === vertexOf(action) && effects[0].token === token;
  if (action !== 'approve' && action !== 'edit') return effects.length === 0;
  return effects.length === 1 && effects[0].token === (action === 'edit' ? `${token}${EDITED}` : token);
}

/** @param {Seen} seen */
function repeatedWork({ people, sink, modelCalls, stored }) {
  /** @type {string[]} */
  const found = [];
  for (const { runId, flow, token } of people.questions.values()) {
    const run = stored.runs.get(runId);
    const suspendedAt = stored.suspensions.get(runId);
    if (run === undefined || suspendedAt === undefined) continue;
    if (flow === 'asking') {
      const looks = sink.looks.get(token.replace(LOOK, '')) ?? 0;
      if (looks === 0 || looks > suspendedAt)
        found.push(`${runId} made ${looks} requests in the ${suspendedAt} attempts before its pause`);
      continue;
    }
    const calls = modelCalls.get(token) ?? [];
    const keys = new Set(calls).size;
    if (keys === 0 || keys > MODEL_CALLS || calls.length > run.attempt)
      found.push(
        `${runId} called the model ${calls.length} times with ${keys} keys in ${run.attempt} attempts`,
      );
  }
  return found;
}

/** @param {Seen} seen */
function wrongAnswers({ people }) {
  /** @type {string[]} */
  const found = [];
  for (const question of people.questions.values()) {
    const { requestId, tries, dueAt, isCancelled } = question;
    const count = (/** @type {readonly number[]} */ statuses) =>
      tries.filter(({ status }) => statuses.includes(status)).length;
    if (count([TAKEN]) > 1) found.push(`${requestId} took ${count([TAKEN])} answers`);
    for (const { status, action, door, startedAt } of tries) {
      if (![TAKEN, REFUSED, ...UNKNOWN_STATUSES].includes(status))
        found.push(`${requestId} answered ${action} by ${door} with ${status}`);
      const isLate = startedAt >= dueAt - CLOCK_MILLISECONDS;
      if (status === REFUSED && !isLate && !isCancelled && count([TAKEN, ...UNKNOWN_STATUSES]) === 0)
        found.push(`${requestId} refused ${action} by ${door}, and took no other answer`);
    }
  }
  return found;
}
