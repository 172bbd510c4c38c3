import { createHmac } from 'node:crypto';
import { Balancer } from './balancer.mjs';
import { consentInput } from '../suspensions/flows.mjs';
import { readStream } from './read-stream.mjs';

/** @import { Installation } from '../installation.mjs' */
/** @import { Random } from '../random.mjs' */
/** @import { HttpAnswer } from './http-call.mjs' */
/** @import { Hook } from '../triggers.mjs' */
/** @import { Delivery, Ledger, Outcome, RunAnswer, Webhook } from './ledger.mjs' */

const WEBHOOK_TIMEOUT_MILLISECONDS = 15_000;
/** The deadline of a run is 60 s. */
const RUN_TIMEOUT_MILLISECONDS = 70_000;
/** How long the effect of a request takes by default. */
export const EFFECT_MILLISECONDS = 20;

/** Sends single requests to ready gateways and ingest services, and records their answers in a ledger. */
export class Requests {
  #installation;
  #random;
  #ledger;
  #gateways;
  #ingests;

  /**
   * @param {Installation} installation
   * @param {Random} random
   * @param {Ledger} ledger
   */
  constructor(installation, random, ledger) {
    this.#installation = installation;
    this.#random = random;
    this.#ledger = ledger;
    const { ready } = installation;
    this.#gateways = new Balancer(ready.gateways, random.fork('gateways'));
    this.#ingests = new Balancer(ready.ingests, random.fork('ingests'));
  }

  close() {
    this.#gateways.close();
    this.#ingests.close();
  }

  /**
   * Calls a flow (`run`, `stream`, `unrunnable`); resolves to the answer and does not record it.
   * @param {'run' | 'stream' | 'unrunnable'} flow
   * @param {unknown} body
   * @param {Readonly<Record<string, string>>} [headers]
   */
  ask(flow, body, headers = {}) {
    const { secrets, flows } = this.#installation;
    return this.#gateways.post(`/api/v1/run/${flows[flow].endpoint}`, body, {
      headers: { 'x-api-key': secrets.apiKey, ...headers },
      timeoutMilliseconds: RUN_TIMEOUT_MILLISECONDS,
    });
  }

  /**
   * Sends a webhook once; resolves to whether it was accepted.
   * @param {Webhook} webhook
   * @param {number} milliseconds
   */
  async tryWebhook(webhook, milliseconds) {
    const { secrets, flows } = this.#installation;
    const inQuery = this.#random.chance(0.15);
    const path = `/api/v1/webhook/${endpointOf(flows, webhook.flow)}${inQuery ? `?x-api-key=${secrets.apiKey}` : ''}`;
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
   * Starts a run of the agent that asks for consent once, in the background; resolves to whether it was accepted.
   * @param {Webhook} webhook
   */
  async tryConsent(webhook) {
    const { secrets, flows, sink } = this.#installation;
    const { token } = webhook;
    const answer = await this.#gateways.post(
      `/api/v1/run/${flows.consent.endpoint}`,
      { input_value: consentInput(sink.url, token), session_id: token },
      {
        headers: { 'x-api-key': secrets.apiKey, prefer: 'respond-async', 'idempotency-key': webhook.id },
        timeoutMilliseconds: WEBHOOK_TIMEOUT_MILLISECONDS,
      },
    );
    const outcome = outcomeOf(answer);
    webhook.tries.push(outcome);
    // A request that is sent again can find its run ended.
    if ((answer.status !== 202 && answer.status !== 200) || outcome.runId === undefined) return false;
    webhook.runIds.add(outcome.runId);
    return true;
  }

  /**
   * Sends a delivery to a trigger once, signed at a time; resolves to whether it was accepted.
   * @param {Delivery} delivery
   * @param {Hook} hook
   * @param {number} signedAt
   */
  async tryDelivery(delivery, { path, secret }, signedAt) {
    const body = { token: delivery.token, milliseconds: EFFECT_MILLISECONDS };
    const timestamp = `${Math.floor(signedAt / 1_000)}`;
    const signed = `v1:${timestamp}:${JSON.stringify(body)}`;
    const signature = createHmac('sha256', secret).update(signed).digest('hex');
    const through = this.#random.chance(0.5) ? this.#gateways : this.#ingests;
    const answer = await through.post(path, body, {
      headers: { 'x-langflow-timestamp': timestamp, 'x-langflow-signature': `v1=${signature}` },
      timeoutMilliseconds: WEBHOOK_TIMEOUT_MILLISECONDS,
    });
    delivery.tries.push(outcomeOf(answer));
    delivery.isAccepted ||= answer.status === 202;
    return delivery.isAccepted;
  }

  /**
   * Sends a run and records the answer, unless `signal` closed the connection.
   * @param {'run' | 'keyed' | 'python'} kind
   * @param {string} token
   * @param {{ readonly key?: string, readonly milliseconds?: number, readonly signal?: AbortSignal }} [options]
   * @returns {Promise<RunAnswer>}
   */
  async run(kind, token, { key, milliseconds = EFFECT_MILLISECONDS, signal } = {}) {
    const { secrets, flows } = this.#installation;
    const answer = await this.#gateways.post(
      `/api/v1/run/${endpointOf(flows, kind === 'keyed' ? 'run' : kind)}`,
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
    if (signal?.aborted !== true) this.#ledger.runs.push(outcome);
    return outcome;
  }

  /**
   * Sends a stream and records its events, unless `signal` closed the connection.
   * @param {string} token
   * @param {{ readonly input?: string, readonly signal?: AbortSignal }} [options]
   */
  async stream(token, { input = '[[tokens=40 interval=20]]', signal } = {}) {
    const { secrets, flows } = this.#installation;
    const answer = await this.#gateways.post(
      `/api/v1/run/${flows.stream.endpoint}?stream=true`,
      { input_value: `${token} ${input}`, session_id: token },
      { headers: { 'x-api-key': secrets.apiKey }, timeoutMilliseconds: RUN_TIMEOUT_MILLISECONDS, signal },
    );
    if (signal?.aborted === true) return;
    this.#ledger.streams.push({ token, ...outcomeOf(answer), ...readStream(answer.body) });
  }
}

/**
 * Returns the endpoint of a flow. Throws for a flow with Python where there is none.
 * @param {Installation['flows']} flows
 * @param {keyof Installation['flows']} name
 */
function endpointOf(flows, name) {
  const flow = flows[name];
  if (flow === undefined) throw new Error(`the load has no flow ${name}`);
  return flow.endpoint;
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
