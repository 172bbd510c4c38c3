import { setTimeout as pause } from 'node:timers/promises';
import { Ledger } from './ledger.mjs';
import { EFFECT_MILLISECONDS, Requests } from './requests.mjs';

/** @import { Installation } from '../installation.mjs' */
/** @import { Random } from '../random.mjs' */
/** @import { Webhook } from './ledger.mjs' */

const DUPLICATE_SHARE = 0.2;
const MAXIMUM_TRIES = 60;
const RECENT = 200;
/** Of every hundred requests: webhooks, runs without and with an Idempotency-Key, deliveries to triggers, streams, runs that wait for a person. */
const SHARES = { webhook: 50, run: 15, keyed: 10, delivery: 10, stream: 10, suspended: 5 };
/** The signature of a delivery is valid for 300 seconds. */
const DELIVERY_MILLISECONDS = 240_000;

/** The share of all requests that are for the flows with Python, where there are some, and that of webhooks of them. */
const PYTHON_SHARE = 0.15;
const PYTHON_WEBHOOK_SHARE = 0.6;

/** Sends webhooks, runs without and with keys, runs that wait for a person, and streams at a fixed rate, and records every answer. */
export class Load {
  ledger = new Ledger();
  /** Whether deliveries to triggers wait: an ingest service whose clock is wrong refuses their signatures. */
  holdsDeliveries = false;
  #random;
  #requests;
  /** @type {Set<Promise<unknown>>} */
  #sending = new Set();
  #isStopped = false;
  #hasPython;
  #hooks;
  #next = 0;
  /** @type {string[]} */
  #recent = [];

  /**
   * @param {Installation} installation
   * @param {Random} random
   */
  constructor(installation, random) {
    this.#random = random;
    this.#hasPython = installation.python !== undefined;
    this.#hooks = installation.triggers.hooks;
    this.#requests = new Requests(installation, random, this.ledger);
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
    this.#requests.close();
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
   * Sends a webhook to the flow with Python, of which each effect takes this long; resolves as `sendSlowWebhook`.
   * @param {number} milliseconds
   */
  sendSlowPython(milliseconds) {
    return this.#track(this.#sendWebhook(this.#name('slow-python'), milliseconds, 'pythonWebhook'));
  }

  /** Sends a run with vertices in Python; resolves to whether it succeeded. */
  async probePython() {
    return (await this.#track(this.#requests.run('python', this.#name('probe')))).status === 200;
  }

  /**
   * Sends a run with a waiting caller whose effect takes this long; resolves to the recorded answer.
   * @param {number} milliseconds
   */
  sendSlowRun(milliseconds) {
    return this.#track(this.#requests.run('run', this.#name('slow'), { milliseconds }));
  }

  /**
   * Sends `count` webhooks with `senders` parallel senders; resolves when all are accepted or retries are exhausted.
   * @param {number} count
   * @param {number} senders
   * @param {Webhook['flow']} [flow]
   */
  async sendBacklog(count, senders, flow = 'webhook') {
    let left = count;
    const name = flow === 'webhook' ? 'backlog' : flow;
    const send = async () => {
      while (left > 0 && !this.#isStopped) {
        left -= 1;
        await this.#sendWebhook(this.#name(name), flow === 'webhook' ? 0 : EFFECT_MILLISECONDS, flow);
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
  ask(flow, body, headers) {
    return this.#track(this.#requests.ask(flow, body, headers));
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
      this.#requests.tryWebhook(
        this.ledger.webhook(this.#name('probe'), this.#name('probe')),
        EFFECT_MILLISECONDS,
      ),
      this.#requests.run('run', this.#name('probe')),
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
    if (this.#hasPython && this.#random.chance(PYTHON_SHARE)) return this.#sendPython();
    const place = this.#random.integer(1, 100);
    if (place <= SHARES.webhook) return this.#sendNextWebhook();
    if (place <= SHARES.webhook + SHARES.run) return this.#requests.run('run', this.#name('run'));
    if (place <= SHARES.webhook + SHARES.run + SHARES.keyed) return this.#runWithKey(this.#name('keyed'));
    const rest = 100 - place;
    if (rest < SHARES.suspended) return this.#sendSuspended();
    if (rest < SHARES.suspended + SHARES.stream) return this.#requests.stream(this.#name('stream'));
    return this.#sendDelivery(this.#name('delivery'));
  }

  #sendPython() {
    const name = this.#name('python');
    return this.#random.chance(PYTHON_WEBHOOK_SHARE)
      ? this.#sendWebhook(name, EFFECT_MILLISECONDS, 'pythonWebhook')
      : this.#requests.run('python', name);
  }

  #sendSuspended() {
    const flow = this.#random.chance(0.5) ? 'asking' : 'consent';
    return this.#sendWebhook(this.#name(flow), EFFECT_MILLISECONDS, flow);
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
   * Sends a webhook, or a run of `consent`, again with the same id until it is accepted, as senders do.
   * @param {string} token
   * @param {number} milliseconds
   * @param {Webhook['flow']} [flow]
   */
  async #sendWebhook(token, milliseconds, flow) {
    const webhook = this.ledger.webhook(`id-${token}`, token, flow);
    for (let number = 0; number < MAXIMUM_TRIES; number += 1) {
      const trying =
        flow === 'consent'
          ? this.#requests.tryConsent(webhook)
          : this.#requests.tryWebhook(webhook, milliseconds);
      if (await trying) return;
      await pause(500 + this.#random.integer(0, 1_000));
    }
  }

  /**
   * Sends the same signed bytes again until they are accepted, as long as their signature is valid.
   * @param {string} token
   */
  async #sendDelivery(token) {
    const hook = this.#random.pick(this.#hooks);
    const delivery = { token, tries: [], isAccepted: false };
    this.ledger.deliveries.push(delivery);
    const signedAt = Date.now();
    while (Date.now() - signedAt < DELIVERY_MILLISECONDS) {
      if (!this.holdsDeliveries && (await this.#requests.tryDelivery(delivery, hook, signedAt))) return;
      await pause(500 + this.#random.integer(0, 1_000));
    }
  }

  /**
   * Repeats a run with its key until it has an answer, then once or twice more: all answers must be equal.
   * @param {string} token
   */
  async #runWithKey(token) {
    let left = this.#random.integer(1, 2);
    for (let number = 0; number < MAXIMUM_TRIES && left >= 0; number += 1) {
      const { status } = await this.#requests.run('keyed', token, { key: token });
      if (status === 200) left -= 1;
      else await pause(1_000);
    }
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
        ? this.#requests.stream(token, { input: '[[tokens=400 interval=50]]', signal })
        : this.#requests.run('run', token, { milliseconds: 20_000, signal });
    await pause(afterMilliseconds);
    leaving.abort();
    this.ledger.disconnectedCallers.push({ token, kind, disconnectedAt: Date.now() });
    await sent;
  }
}
