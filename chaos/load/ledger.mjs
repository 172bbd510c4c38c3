/** @import { StreamOutcome } from './read-stream.mjs' */

/**
 * @typedef {object} Outcome
 * @property {number} status
 * @property {number} milliseconds
 * @property {number} startedAt Milliseconds since the epoch.
 * @property {string} [runId]
 * @property {string} [retryAfter]
 * @property {string} [problem]
 * @property {number} [begun]
 * @property {string} [errorBody]
 *
 * @typedef {Outcome & { readonly kind: string, readonly token?: string }} Answer
 * @typedef {Answer & { readonly key?: string, body: string }} RunAnswer
 * @typedef {Outcome & StreamOutcome & { readonly token: string }} StreamAnswer
 * @typedef {{ readonly token: string, readonly kind: string, readonly disconnectedAt: number }} DisconnectedCaller
 *
 * @typedef {object} Webhook
 * @property {string} id
 * @property {string} token
 * @property {'webhook' | 'pythonWebhook' | 'asking' | 'consent' | 'waiting' | 'timed'} flow
 * @property {number} startedAt
 * @property {Outcome[]} tries
 * @property {Set<string>} runIds
 *
 * @typedef {object} Delivery To a trigger.
 * @property {string} token
 * @property {Outcome[]} tries
 * @property {boolean} isAccepted
 */

/** Records the answers that callers received, for comparison with the stored runs. */
export class Ledger {
  /**
   * { id, token, flow, startedAt, tries: [{ status, milliseconds, startedAt, problem }], runIds } by webhook id.
   * @type {Map<string, Webhook>}
   */
  webhooks = new Map();
  /**
   * { kind, token, key, startedAt, milliseconds, status, runId, body, problem } of runs with waiting callers.
   * @type {RunAnswer[]}
   */
  runs = [];
  /**
   * { token, startedAt, milliseconds, status, runId, ends, errors, text, problem }
   * @type {StreamAnswer[]}
   */
  streams = [];
  /**
   * Deliveries to triggers.
   * @type {Delivery[]}
   */
  deliveries = [];
  /**
   * { token, disconnectedAt }
   * @type {DisconnectedCaller[]}
   */
  disconnectedCallers = [];

  /**
   * @param {string} id
   * @param {string} token
   * @param {Webhook['flow']} [flow]
   * @returns {Webhook}
   */
  webhook(id, token, flow = 'webhook') {
    const known = this.webhooks.get(id);
    if (known !== undefined) return known;
    const webhook = { id, token, flow, startedAt: Date.now(), tries: [], runIds: new Set() };
    this.webhooks.set(id, webhook);
    return webhook;
  }

  /** Returns the ids of runs in 202 answers. */
  accepted() {
    return [...this.webhooks.values()].flatMap(({ runIds }) => [...runIds]);
  }

  /**
   * Returns the answers to requests that started between two times: { kind, status, milliseconds, problem }.
   * @returns {Answer[]}
   */
  answers(from = 0, to = Infinity) {
    const tries = [...this.webhooks.values()].flatMap((webhook) =>
      webhook.tries.map((one) => ({ kind: 'webhook', ...one })),
    );
    const streams = this.streams.map((stream) => ({ kind: 'stream', ...stream }));
    const deliveries = this.deliveries.flatMap(({ token, tries: attempts }) =>
      attempts.map((one) => ({ kind: 'delivery', token, ...one })),
    );
    return [...tries, ...this.runs, ...streams, ...deliveries].filter(
      ({ startedAt }) => startedAt >= from && startedAt <= to,
    );
  }
}
