import { setTimeout as pause } from 'node:timers/promises';
import { Balancer } from './balancer.mjs';
import { Ledger } from './ledger.mjs';
import { readStream } from './read-stream.mjs';

/** @import { Installation } from '../installation.mjs' */
/** @import { Random } from '../random.mjs' */
/** @import { HttpAnswer } from './http-call.mjs' */
/** @import { Outcome, RunAnswer, Webhook } from './ledger.mjs' */

const WEBHOOK_TIMEOUT_MILLISECONDS = 15_000;
/** The deadline of a run is 60 s. */
export const RUN_TIMEOUT_MILLISECONDS = 70_000;
const EFFECT_MILLISECONDS = 20;
const DUPLICATE_SHARE = 0.2;
const MAXIMUM_TRIES = 60;
const RECENT = 200;
/** Of every hundred requests: webhooks, runs without and with an Idempotency-Key, streams. */
const SHARES = { webhook: 65, run: 15, keyed: 10, stream: 10 };

/** Sends webhooks, runs without and with keys, and streams at a fixed rate, and records every answer. */
export class Load {
  ledger = new Ledger();
  #random;
  #gateways;
  #ingests;
  #installation;
  /** @type {Set<Promise<unknown>>} */
  #sending = new Set();
  #isStopped = false;
  #next = 0;
  /** @type {string[]} */
  #recent = [];

  /**
   * @param {Installation} installation
   * @param {Random} random
   */
  constructor(installation, random) {
    this.#installation = installation;
    this.#random = random;
    const { ready } = installation;
    this.#gateways = new Balancer(ready.gateways, random.fork('gateways'));
    this.#ingests = new Balancer(ready.ingests, random.fork('ingests'));
  }

  /**
   * Sends requests at a fixed rate until `stop`, independent of the answers to earlier ones.
   * @param {number} perSecond
   */
  async start(perSecond) {
    const started = performance.now();
    for (let number = 0; !this.#isStopped; number += 1) {
      const early = started + (number * 1_000) / perSecond - performance.now();
      if (early > 0) await pause(early);
      this.#track(this.#arrive());
    }
  }

  /** Stops sending; resolves when every request has its answer or has timed out. */
  async stop() {
    this.#isStopped = true;
    while (this.#sending.size > 0) await Promise.all(this.#sending);
    this.#gateways.close();
    this.#ingests.close();
  }

  /** The number of requests without an answer. */
  get callsInFlight() {
    return this.#sending.size;
  }

  /**
   * Sends a webhook whose effect takes this long; resolves when it is accepted or retries are exhausted.
   * @param {number} milliseconds
   */
  sendSlowWebhook(milliseconds) {
    return this.#track(this.#sendWebhook(this.#name('slow'), milliseconds));
  }

  /**
   * Sends a run with a waiting caller whose effect takes this long; resolves to the recorded answer.
   * @param {number} milliseconds
   */
  sendSlowRun(milliseconds) {
    return this.#track(this.#run('run', this.#name('slow'), { milliseconds }));
  }

  /**
   * Sends `count` webhooks with `senders` parallel senders; resolves when all are accepted or retries are exhausted.
   * @param {number} count
   * @param {number} senders
   */
  async sendBacklog(count, senders) {
    let left = count;
    const send = async () => {
      while (left > 0 && !this.#isStopped) {
        left -= 1;
        await this.#sendWebhook(this.#name('backlog'), 0);
      }
    };
    await Promise.all(Array.from({ length: senders }, () => this.#track(send())));
  }

  /**
   * Calls a flow (`run`, `stream`, `unrunnable`); resolves to the answer and does not record it.
   * @param {'run' | 'stream' | 'unrunnable'} flow
   * @param {unknown} body
   * @param {Readonly<Record<string, string>>} [headers]
   */
  ask(flow, body, headers = {}) {
    const { secrets, flows } = this.#installation;
    return this.#track(
      this.#gateways.post(`/api/v1/run/${flows[flow].endpoint}`, body, {
        headers: { 'x-api-key': secrets.apiKey, ...headers },
        timeoutMilliseconds: RUN_TIMEOUT_MILLISECONDS,
      }),
    );
  }

  /**
   * Returns a name that is unique in this load.
   * @param {string} kind
   */
  nextName(kind) {
    return this.#name(kind);
  }

  /**
   * Sends a long run or stream and closes the connection after some time.
   * @param {'run' | 'stream'} kind
   * @param {number} afterMilliseconds
   */
  leave(kind, afterMilliseconds) {
    return this.#track(this.#sendAndDisconnect(kind, afterMilliseconds));
  }

  /** Sends one webhook and one run with a waiting caller; resolves to whether both succeeded. */
  async probe() {
    const [accepted, answer] = await Promise.all([
      this.#tryWebhook(this.ledger.webhook(this.#name('probe'), this.#name('probe')), EFFECT_MILLISECONDS),
      this.#run('run', this.#name('probe')),
    ]);
    return accepted && answer.status === 200;
  }

  /**
   * @template T
   * @param {Promise<T>} promise
   */
  #track(promise) {
    this.#sending.add(promise);
    promise.finally(() => this.#sending.delete(promise));
    return promise;
  }

  /** @param {string} kind */
  #name(kind) {
    this.#next += 1;
    return `${kind}-${this.#next}`;
  }

  /** @returns {Promise<unknown>} */
  #arrive() {
    const place = this.#random.integer(1, 100);
    if (place <= SHARES.webhook) return this.#sendNextWebhook();
    if (place <= SHARES.webhook + SHARES.run) return this.#run('run', this.#name('run'));
    if (place <= SHARES.webhook + SHARES.run + SHARES.keyed) return this.#runWithKey(this.#name('keyed'));
    return this.#stream(this.#name('stream'));
  }

  #sendNextWebhook() {
    if (this.#recent.length > 0 && this.#random.chance(DUPLICATE_SHARE))
      return this.#sendWebhook(this.#random.pick(this.#recent), EFFECT_MILLISECONDS);
    const token = this.#name('webhook');
    this.#recent.push(token);
    if (this.#recent.length > RECENT) this.#recent.shift();
    return this.#sendWebhook(token, EFFECT_MILLISECONDS);
  }

  /**
   * Sends a webhook again with the same id until it is accepted, as senders do.
   * @param {string} token
   * @param {number} milliseconds
   */
  async #sendWebhook(token, milliseconds) {
    const webhook = this.ledger.webhook(`id-${token}`, token);
    for (let number = 0; number < MAXIMUM_TRIES; number += 1) {
      if (await this.#tryWebhook(webhook, milliseconds)) return;
      await pause(500 + this.#random.integer(0, 1_000));
    }
  }

  /**
   * @param {Webhook} webhook
   * @param {number} milliseconds
   */
  async #tryWebhook(webhook, milliseconds) {
    const { secrets, flows } = this.#installation;
    const inQuery = this.#random.chance(0.15);
    const path = `/api/v1/webhook/${flows.webhook.endpoint}${inQuery ? `?x-api-key=${secrets.apiKey}` : ''}`;
    const through = this.#random.chance(0.5) ? this.#gateways : this.#ingests;
    const answer = await through.post(
      path,
      { token: webhook.token, milliseconds },
      {
        headers: {
          'webhook-id': webhook.id,
          authorization: `Bearer ${secrets.bearer}`,
          cookie: `session=${secrets.cookie}`,
          ...(inQuery ? {} : { 'x-api-key': secrets.apiKey }),
        },
        timeoutMilliseconds: WEBHOOK_TIMEOUT_MILLISECONDS,
      },
    );
    webhook.tries.push(outcomeOf(answer));
    if (answer.status !== 202) return false;
    webhook.runIds.add(JSON.parse(answer.body).run_id);
    return true;
  }

  /**
   * @param {'run' | 'keyed'} kind
   * @param {string} token
   * @param {{ readonly key?: string, readonly milliseconds?: number, readonly signal?: AbortSignal }} [options]
   * @returns {Promise<RunAnswer>}
   */
  async #run(kind, token, { key, milliseconds = EFFECT_MILLISECONDS, signal } = {}) {
    const { secrets, flows } = this.#installation;
    const answer = await this.#gateways.post(
      `/api/v1/run/${flows.run.endpoint}`,
      { input_value: `${token}/${milliseconds}`, session_id: token },
      {
        headers: {
          'x-api-key': secrets.apiKey,
          ...(key === undefined ? {} : { 'idempotency-key': key }),
        },
        timeoutMilliseconds: RUN_TIMEOUT_MILLISECONDS,
        signal,
      },
    );
    const outcome = { kind, token, key, ...outcomeOf(answer), body: answer.body };
    if (signal?.aborted !== true) this.ledger.runs.push(outcome);
    return outcome;
  }

  /**
   * Repeats a run with its key until it has an answer, then once or twice more: all answers must be equal.
   * @param {string} token
   */
  async #runWithKey(token) {
    let left = this.#random.integer(1, 2);
    for (let number = 0; number < MAXIMUM_TRIES && left >= 0; number += 1) {
      const { status } = await this.#run('keyed', token, { key: token });
      if (status === 200) left -= 1;
      else await pause(1_000);
    }
  }

  /**
   * @param {string} token
   * @param {{ readonly input?: string, readonly signal?: AbortSignal }} [options]
   */
  async #stream(token, { input = '[[tokens=40 interval=20]]', signal } = {}) {
    const { secrets, flows } = this.#installation;
    const answer = await this.#gateways.post(
      `/api/v1/run/${flows.stream.endpoint}?stream=true`,
      { input_value: `${token} ${input}`, session_id: token },
      { headers: { 'x-api-key': secrets.apiKey }, timeoutMilliseconds: RUN_TIMEOUT_MILLISECONDS, signal },
    );
    if (signal?.aborted === true) return;
    this.ledger.streams.push({ token, ...outcomeOf(answer), ...readStream(answer.body) });
  }

  /**
   * @param {'run' | 'stream'} kind
   * @param {number} afterMilliseconds
   */
  async #sendAndDisconnect(kind, afterMilliseconds) {
    const token = this.#name('leaver');
    const leaving = new AbortController();
    const { signal } = leaving;
    const sent =
      kind === 'stream'
        ? this.#stream(token, { input: '[[tokens=400 interval=50]]', signal })
        : this.#run('run', token, { milliseconds: 20_000, signal });
    await pause(afterMilliseconds);
    leaving.abort();
    this.ledger.disconnectedCallers.push({ token, kind, disconnectedAt: Date.now() });
    await sent;
  }
}

/**
 * @param {HttpAnswer} answer
 * @returns {Outcome}
 */
function outcomeOf({ status, milliseconds, startedAt, problem, begun, headers, body }) {
  return {
    status,
    milliseconds,
    startedAt,
    runId: [headers['x-run-id']].flat()[0],
    ...(headers['retry-after'] === undefined ? {} : { retryAfter: headers['retry-after'] }),
    ...(problem === undefined ? {} : { problem, begun }),
    ...(status === 200 || status === 202 || status === 0 ? {} : { errorBody: body.slice(0, 300) }),
  };
}
