import { figuresOf } from '../figures.mjs';

/** @import { Invariant, Seen } from './judge.mjs' */
/** @import { Triggers, Schedule } from '../triggers.mjs' */
/** @import { StoredEvents } from './stored-events.mjs' */
/** @import { ReportReceiver } from '../report-receiver.mjs' */

/**
 * @typedef {object} SeenEvents
 * @property {Pick<Triggers, 'schedules'>} triggers
 * @property {StoredEvents} stored
 * @property {Pick<ReportReceiver, 'bodies' | 'accepted' | 'refused'>} receiver
 */

/** Fewer deliveries say nothing about how often they are refused. */
const ENOUGH_DELIVERIES = 50;
const MAXIMUM_RATIO = 2;
const MAXIMUM_DIFFERENCE_PERCENT = 10;
/** Webhooks that a fault sends at once, mostly while nothing is down. */
const SENT_AT_ONCE = /^(?:backlog|waiting|timed)-/;
/** A schedule counts no more missed occurrences than this. */
const MAXIMUM_MISSED = 1_000;
/** An occurrence that is later than this was missed. */
const LATE_MILLISECONDS = 60_000;
/** A schedule that was active for so long beyond its interval must have fired. */
const FIRST_FIRING_MILLISECONDS = 5_000;

/**
 * Checks the invariants of triggers, schedules and callbacks.
 * @param {Seen} seen
 * @returns {Invariant[]}
 */
export function judgeEvents(seen) {
  return [
    {
      id: 'E1',
      promise: 'every accepted delivery has one event, whose run has succeeded',
      found: lostDeliveries(seen),
    },
    {
      id: 'E2',
      promise: 'every occurrence has one run, by its catch-up policy',
      found: wrongOccurrences(seen),
    },
    {
      id: 'E3',
      promise: 'every end is reported at least once, under one id with the same bytes',
      found: wrongReports(seen),
    },
    {
      id: 'E4',
      promise: 'deliveries are refused hardly more often than webhooks',
      found: refusedDeliveries(seen),
    },
  ];
}

/**
 * Both are sent again until they are accepted, by the same services and database. A few deliveries that meet one outage differ from
 * many webhooks by chance.
 * @param {Seen} seen
 */
function refusedDeliveries({ ledger }) {
  const { deliveries } = figuresOf(ledger);
  if (deliveries.sent < ENOUGH_DELIVERIES) return [];
  const tries = [...ledger.webhooks.values()]
    .filter(({ token }) => !SENT_AT_ONCE.test(token))
    .flatMap((webhook) => webhook.tries);
  const refused = tries.filter(({ status }) => status !== 202).length;
  const refusedPercent = Number(((100 * refused) / Math.max(1, tries.length)).toFixed(2));
  const most = refusedPercent * MAXIMUM_RATIO + MAXIMUM_DIFFERENCE_PERCENT;
  return deliveries.refusedPercent > most
    ? [`${deliveries.refusedPercent} % of deliveries and ${refusedPercent} % of webhooks were refused`]
    : [];
}

/** @param {Seen} seen */
function lostDeliveries({ ledger, events, stored: { runs } }) {
  /** @type {string[]} */
  const found = [];
  /** @type {Map<string, string[]>} */
  const runsOf = new Map();
  for (const { token, runId } of events.stored.deliveries)
    runsOf.set(token, [...(runsOf.get(token) ?? []), runId]);
  for (const { token, isAccepted } of ledger.deliveries) {
    const ids = runsOf.get(token) ?? [];
    if (ids.length > 1) found.push(`${token} has the runs ${ids.join(' and ')}`);
    if (isAccepted && ids.length === 0) found.push(`${token} was accepted and has no event`);
    for (const id of ids) {
      const status = runs.get(id)?.status;
      if (status !== 'succeeded') found.push(`${token} has the run ${id}, which is ${status ?? 'missing'}`);
    }
  }
  return found;
}

/** @param {Seen} seen */
function wrongOccurrences({ events, stored: { runs } }) {
  /** @type {string[]} */
  const found = [];
  for (const schedule of events.triggers.schedules) {
    const fired = events.stored.occurrences.filter(({ triggerId }) => triggerId === schedule.id);
    if (fired.length === 0 && mustHaveFired(schedule)) found.push(`${nameOf(schedule)} did not fire`);
    for (const [index, { at, firedAt, missed, runId }] of fired.entries()) {
      const status = runs.get(runId)?.status;
      if (status !== 'succeeded')
        found.push(
          `${nameOf(schedule)} at ${timeOf(at)} has the run ${runId}, which is ${status ?? 'missing'}`,
        );
      const before = fired[index - 1];
      if (before === undefined) continue;
      const between = Math.round((at - before.at) / 1_000 / schedule.seconds) - 1;
      if (!isByPolicy(schedule, { at, firedAt, missed, between }))
        found.push(
          `${nameOf(schedule)} fired at ${timeOf(before.at)}, then at ${timeOf(at)} (${timeOf(firedAt)}) with ${missed} missed`,
        );
    }
  }
  return found;
}

/**
 * Returns whether a schedule can have left out the occurrences between two that fired: the policy `all` leaves out none,
 * `coalesce` counts them, and `skip` leaves out those that were late by more than a minute.
 * @param {Schedule} schedule
 * @param {{ readonly at: number, readonly firedAt: number, readonly missed: number, readonly between: number }} firing
 */
export function isByPolicy({ policy, seconds }, { at, firedAt, missed, between }) {
  if (policy === 'all' || between === 0) return between === 0 && missed === 0;
  if (policy === 'coalesce') return Math.min(between, MAXIMUM_MISSED) === missed;
  return firedAt - (at - seconds * 1_000) > LATE_MILLISECONDS;
}

/** @param {Seen} seen */
function wrongReports({ events: { stored, receiver }, stored: { runs } }) {
  const found = receiver.refused.map((what) => `not a signed report: ${what}`);
  const reported = new Set(stored.reports.map(({ runId }) => runId));
  for (const { runId } of [...stored.deliveries, ...stored.occurrences])
    if (runs.get(runId)?.finished !== null && !reported.has(runId)) found.push(`${runId} has no report`);
  if (reported.size < stored.reports.length)
    found.push(`${stored.reports.length} reports are of ${reported.size} runs`);
  for (const { id, runId, isDelivered } of stored.reports) {
    if (!isDelivered) found.push(`${id} of ${runId} was not delivered`);
    else if (!receiver.accepted.has(id))
      found.push(`${id} of ${runId} counts as delivered and did not arrive`);
  }
  const known = new Set(stored.reports.map(({ id }) => id));
  for (const [id, bodies] of receiver.bodies) {
    if (!known.has(id)) found.push(`${id} arrived and is not stored`);
    if (bodies.size > 1) found.push(`${id} arrived with ${bodies.size} different bodies`);
  }
  return found;
}

/**
 * Returns whether a schedule had an occurrence for certain: a cron schedule of each minute has none in a shorter load.
 * @param {Schedule} schedule
 */
function mustHaveFired({ seconds, active }) {
  return active.to - active.from >= seconds * 1_000 + FIRST_FIRING_MILLISECONDS;
}

/** @param {Schedule} schedule */
function nameOf({ policy, seconds }) {
  return `the schedule of every ${seconds} s with the policy ${policy}`;
}

/** @param {number} at */
function timeOf(at) {
  return new Date(at).toISOString();
}
