import pg from 'pg';
import { Ledger } from '../load/ledger.mjs';
import { LogWatch } from '../log-watch.mjs';
import { Observer } from '../observer.mjs';

/** @import { RunAnswer } from '../load/ledger.mjs' */
/** @import { Question, Try } from '../suspensions/people.mjs' */
/** @import { Seen } from './judge.mjs' */
/** @import { StoredEvents } from './stored-events.mjs' */
/** @import { StoredRun } from './stored-runs.mjs' */

/** @typedef {StoredEvents['occurrences'][number]} Occurrence */

export const RUN = 'run-1';
export const CALLED = 'run-2';
export const DELIVERED = 'run-3';
const FIRED = ['run-4', 'run-5'];
export const ASKED = 'run-6';
export const CONSENTED = 'run-7';

/**
 * Returns records of one webhook, one run with a waiting caller, one stream, and two runs that waited for a person, all
 * successful.
 * @returns {Seen}
 */
export function validRecords() {
  const ledger = new Ledger();
  const webhook = ledger.webhook('id-1', 'webhook-1');
  webhook.tries.push({ status: 202, startedAt: 1, milliseconds: 5 });
  webhook.runIds.add(RUN);
  ledger.runs.push(answer({ token: 'run', runId: CALLED, body: '{"a":1}' }));
  ledger.streams.push({
    token: 's',
    status: 200,
    ends: 1,
    errors: [],
    text: 'a b',
    isWhole: true,
    startedAt: 1,
    milliseconds: 5,
  });
  ledger.deliveries.push({
    token: 'delivery-1',
    isAccepted: true,
    tries: [{ status: 202, startedAt: 1, milliseconds: 5 }],
  });
  const events = [DELIVERED, ...FIRED];
  const logs = new LogWatch();
  logs.plant('apiKey', 'sk-very-secret');
  return {
    ledger,
    logs,
    observer: new Observer({ all: [], gateways: [], database: new pg.Pool() }, { callsInFlight: 0 }),
    sink: {
      effects: new Map([
        [`${RUN}:a`, { runId: RUN, token: 'webhook-1', count: 1 }],
        [`${CALLED}:a`, { runId: CALLED, token: 'run', count: 1 }],
        ...events.map((runId) => /** @type {const} */ ([`${runId}:a`, { runId, token: 'event', count: 1 }])),
        [`${ASKED}:APIRequest-reject`, { runId: ASKED, token: 'asking-1_1', count: 1 }],
        [`${CONSENTED}:APIRequest-tool:5e`, { runId: CONSENTED, token: 'consent-2-edited', count: 1 }],
      ]),
      looks: new Map([['asking-1', 1]]),
      broken: [],
      refused: [],
    },
    people: validPeople(),
    modelCalls: new Map([['consent-2', ['key-1', 'key-2']]]),
    stored: {
      suspensions: new Map([
        [ASKED, 1],
        [CONSENTED, 1],
      ]),
      runs: new Map([
        [RUN, stored({ id: RUN, origin: 'webhook', dedupeKey: 'flow:webhook-id:id-1', durable: true })],
        [CALLED, stored({ id: CALLED, origin: 'run', dedupeKey: null, durable: false, result: '{"a":1}' })],
        ...events.map(
          (id) =>
            /** @type {const} */ ([id, stored({ id, origin: 'webhook', dedupeKey: id, durable: true })]),
        ),
        [ASKED, stored({ id: ASKED, origin: 'webhook', dedupeKey: ASKED, durable: true, attempt: 2 })],
        [CONSENTED, stored({ id: CONSENTED, origin: 'run', dedupeKey: null, durable: true, attempt: 2 })],
      ]),
      attempts: new Map(),
      overfullRuns: [],
    },
    atBroker: { before: { connections: 14, channels: 28 }, after: { connections: 14, channels: 28 } },
    settled: { goingOn: 0, queues: [{ name: 'runs.dead', messages: 0 }] },
    events: validEvents(events),
    injections: [{ from: 1_000, to: 2_000 }],
    killed: new Set([11, 12, 13]),
  };
}

/** @returns {Seen['people']} */
function validPeople() {
  const asking = { runId: ASKED, token: 'asking-1_1', dueAt: 60_000, tries: [tried('reject')] };
  const consent = { runId: CONSENTED, token: 'consent-2', tries: [tried('edit', 'link')] };
  return {
    questions: new Map([
      [ASKED, question(asking)],
      [CONSENTED, question({ ...consent, flow: 'consent' })],
    ]),
  };
}

/**
 * @param {readonly string[]} events the ids of their runs
 * @returns {Seen['events']}
 */
function validEvents(events) {
  return {
    triggers: {
      schedules: [{ id: 'schedule-1', policy: 'all', seconds: 2, active: { from: 0, to: 60_000 } }],
    },
    stored: {
      deliveries: [{ token: 'delivery-1', runId: DELIVERED }],
      occurrences: FIRED.map((runId, index) => occurrence({ runId, at: 2_000 * index })),
      reports: events.map((runId) => ({ id: `report of ${runId}`, runId, isDelivered: true })),
    },
    receiver: {
      bodies: new Map(events.map((runId) => [`report of ${runId}`, new Set(['{}'])])),
      accepted: new Set(events.map((runId) => `report of ${runId}`)),
      refused: [],
    },
  };
}

/**
 * An occurrence that fired in time.
 * @param {Pick<Occurrence, 'runId' | 'at'> & Partial<Occurrence>} more
 * @returns {Occurrence}
 */
function occurrence({ at, ...more }) {
  return { triggerId: 'schedule-1', at, firedAt: at + 50, missed: 0, ...more };
}

/**
 * @param {Pick<StoredRun, 'id' | 'origin' | 'dedupeKey' | 'durable'> & Partial<StoredRun>} more
 * @returns {StoredRun}
 */
export function stored(more) {
  return {
    flowId: 'flow',
    sessionId: '',
    status: 'succeeded',
    attempt: 1,
    freeAttempts: 0,
    maximumAttempts: 3,
    sweeps: 0,
    finished: 'now',
    failure: null,
    result: null,
    content: 'x',
    ...more,
  };
}

/**
 * @param {Pick<Question, 'runId' | 'token'> & Partial<Question>} more
 * @returns {Question}
 */
function question(more) {
  return { requestId: more.runId, flow: 'asking', dueAt: Infinity, tries: [], isCancelled: false, ...more };
}

/**
 * @param {string} action
 * @param {Try['door']} [door]
 * @param {number} [status]
 * @returns {Try}
 */
export function tried(action, door = 'resume', status = 200) {
  return { action, door, status, startedAt: 1 };
}

/**
 * Returns the question of the run with this id, to change it.
 * @param {Seen} seen
 * @param {string} id
 */
export function questionOf({ people: { questions } }, id) {
  const found = questions.get(id);
  if (found === undefined) throw new Error(`there is no question of ${id}`);
  return found;
}

/**
 * @param {Partial<RunAnswer>} more
 * @returns {RunAnswer}
 */
export function answer(more) {
  return { kind: 'run', status: 200, startedAt: 1, milliseconds: 5, body: '', ...more };
}

/**
 * Returns the stored run with this id, to change it.
 * @param {Seen} seen
 * @param {string} id
 */
export function runOf({ stored: { runs } }, id) {
  const run = runs.get(id);
  if (run === undefined) throw new Error(`there is no run ${id}`);
  return run;
}
