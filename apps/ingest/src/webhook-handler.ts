import type { IncomingMessage, ServerResponse } from 'node:http';
import { GroupCommit, isRowError } from '@millrace/runs';
import type { Acceptance, FlowReference, NewRun, RunStore, UserBacklogs } from '@millrace/runs';
import { uuidv7 } from '@millrace/service';
import type { BodyBudget, Health } from '@millrace/service';
import { DatabaseWatch } from './database-watch';
import { deliveryKey } from './delivery-key';
import { IngestAnswer } from './ingest-answer';
import { requestIdOf } from './request-id';
import type { RefusedWebhookLog } from './refused-webhook-log';
import { decodeBody, readBody } from './read-body';
import type { RunPublisher } from './run-publisher';
import { checkSignature } from './signatures/check-signature';
import { slackChallenge } from './signatures/slack-challenge';
import type { WebhookSecrets } from './signatures/webhook-secrets';
import type { WebhookCaller } from './webhook-caller';

const ROUTE = /^\/api\/v1\/webhook\/([^/?]+)\/?(?:\?(.*))?$/;

export interface WebhookHandlerDependencies {
  readonly caller: WebhookCaller;
  readonly secrets: WebhookSecrets;
  readonly runs: RunStore;
  readonly publisher: RunPublisher;
  readonly health: Pick<Health, 'isShuttingDown'>;
  readonly refusals: RefusedWebhookLog;
  readonly maximumBodyBytes: number;
  readonly maximumBodyMembers: number;
  readonly bodies: BodyBudget;
  readonly backgroundLimitMilliseconds: number;
  readonly maximumAttempts: number;
  readonly runsAhead: number;
  readonly backlogs: UserBacklogs;
  onAccepted(): void;
  /** The sender of a flow's webhooks was told that the flow's address is good. */
  onVerified(flow: FlowReference, requestId: string | null): void;
  /** A run waits for its turn. */
  onWaiting(): void;
}

/** Accepts webhooks: a 202 means the run is on disk. */
export class WebhookHandler {
  readonly #dependencies: WebhookHandlerDependencies;
  /** Many webhooks, one transaction; two in flight, so that one can gather while the other is written. */
  readonly #accept: GroupCommit<NewRun, Acceptance>;
  readonly #database = new DatabaseWatch();

  constructor(dependencies: WebhookHandlerDependencies) {
    this.#dependencies = dependencies;
    this.#accept = new GroupCommit<NewRun, Acceptance>({
      commit: async (runs) => {
        const accepted = await dependencies.runs.admit(runs, { ahead: dependencies.runsAhead });
        return runs.map(({ id }) => accepted.get(id) ?? { holder: id, waits: true });
      },
      maximumWaitMilliseconds: 2,
      maximumItems: 200,
      maximumPending: 5_000,
      maximumInFlight: 2,
      splitOn: isRowError,
    });
  }

  /** True when the path is a webhook's; the answer is then this handler's business. */
  handle(request: IncomingMessage, response: ServerResponse): boolean {
    const route = ROUTE.exec(request.url ?? '');
    if (!route?.[1]) return false;
    if (request.method !== 'POST') {
      const refusal = new IngestAnswer('method_not_allowed', 'Method Not Allowed', { allow: 'POST' });
      this.#refuse(request, response, { refusal });
      return true;
    }
    void this.#answer(request, response, decodeReference(route[1]), new URLSearchParams(route[2] ?? ''));
    return true;
  }

  close(): Promise<void> {
    return this.#accept.close();
  }

  async #answer(
    request: IncomingMessage,
    response: ServerResponse,
    reference: string,
    query: URLSearchParams,
  ): Promise<void> {
    const body = this.#dependencies.bodies.open();
    let flow: FlowReference | null = null;
    try {
      flow = await this.#database.within(() => this.#dependencies.caller.identify(request, reference, query));
      this.#refuseMore(flow);
      const bytes = await readBody(request, this.#dependencies.maximumBodyBytes, body);
      const signedId = await this.#signedId(flow, request, bytes);
      const payload = decodeBody(bytes, this.#dependencies.maximumBodyMembers);
      const requestId = requestIdOf(request, response);
      const challenge = isSlacks(flow) ? slackChallenge(payload) : null;
      if (challenge !== null) {
        this.#endConnection(response);
        sendJson(response, 200, JSON.stringify({ challenge }));
        return this.#dependencies.onVerified(flow, requestId);
      }
      const dedupeKey = deliveryKey(flow, { headers: request.headers, payload, signedId });
      const run = this.#newRun(flow, payload, dedupeKey, requestId);
      const { holder, waits } = await this.#database.within(() => this.#accept.add(run));
      this.#endConnection(response);
      accepted(response, holder);
      this.#dependencies.onAccepted();
      if (holder === run.id) this.#letGo(run, waits);
    } catch (error) {
      // A sender that left in the middle of its body waits for nothing.
      if (response.destroyed) return;
      this.#endConnection(response);
      this.#refuse(request, response, { refusal: explain(error), flow, error });
    } finally {
      body.close();
    }
  }

  #refuse(
    request: IncomingMessage,
    response: ServerResponse,
    refused: {
      readonly refusal: IngestAnswer;
      readonly flow?: FlowReference | null;
      readonly error?: unknown;
    },
  ): void {
    const path = (request.url ?? '').split('?', 1)[0] ?? '';
    this.#dependencies.refusals.write({ ...refused, path, requestId: requestIdOf(request, response) });
    answer(response, refused.refusal);
  }

  #refuseMore({ userId }: FlowReference): void {
    const refusal = this.#dependencies.backlogs.refusal(userId);
    if (!refusal) return;
    const headers = { 'retry-after': String(refusal.retryAfterSeconds), connection: 'close' };
    throw new IngestAnswer('too_many_waiting', refusal.text, headers);
  }

  #letGo(run: NewRun, waits: boolean): void {
    const { publisher, backlogs, onWaiting } = this.#dependencies;
    if (!waits) return void publisher.publish(run);
    backlogs.grow(run.userId);
    onWaiting();
  }

  /** Whoever keeps his connection open must find another process for the next request. */
  #endConnection(response: ServerResponse): void {
    if (this.#dependencies.health.isShuttingDown && !response.headersSent)
      response.setHeader('connection', 'close');
  }

  /** The delivery's id that the sender signed, if the flow's scheme signs one. Refuses what is not signed rightly. */
  async #signedId(
    flow: FlowReference,
    { headers }: IncomingMessage,
    body: Buffer,
  ): Promise<string | undefined> {
    const rule = flow.settings.webhook?.signature;
    if (!rule) return undefined;
    const secrets = await this.#database.within(() =>
      this.#dependencies.secrets.find(flow.userId, rule.secrets),
    );
    const claim = checkSignature({ headers, body }, rule, secrets, Date.now());
    if (!claim) throw new IngestAnswer('signature_invalid', 'Invalid webhook signature');
    return claim.deliveryId;
  }

  #newRun(flow: FlowReference, payload: string, dedupeKey: string | null, requestId: string | null): NewRun {
    const { backgroundLimitMilliseconds, maximumAttempts } = this.#dependencies;
    return {
      id: uuidv7(),
      flowId: flow.id,
      flowVersion: flow.version,
      userId: flow.userId,
      lane: 'background',
      pool: flow.pool,
      origin: 'webhook',
      request: {
        form: 'webhook',
        inputs: [{ components: [], inputValue: '', type: 'chat' }],
        outputs: { by: 'type', type: 'chat' },
        tweaks: {},
        stream: false,
        sessionId: flow.id,
        globalVariables: {},
        webhookPayload: payload,
      },
      sessionId: flow.id,
      dedupeKey,
      limitMilliseconds: backgroundLimitMilliseconds,
      maximumAttempts,
      retry: flow.settings.retry ?? null,
      isLimited: flow.settings.concurrency !== undefined,
      requestId,
    };
  }
}

function explain(error: unknown): IngestAnswer {
  if (error instanceof IngestAnswer) return error;
  const text = 'The webhook could not be stored; please send it again.';
  return new IngestAnswer('database_unavailable', text, { 'retry-after': '1' });
}

function decodeReference(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}

function isSlacks({ settings }: FlowReference): boolean {
  return settings.webhook?.signature?.scheme === 'slack';
}

function accepted(response: ServerResponse, runId: string): void {
  const body = `{"message":"Task started in the background","status":"in progress","run_id":"${runId}"}`;
  sendJson(response, 202, body, { 'x-run-id': runId, location: `/api/v1/runs/${runId}` });
}

function answer(response: ServerResponse, { status, body, headers }: IngestAnswer): void {
  if (response.headersSent || response.destroyed) return;
  sendJson(response, status, body, headers);
}

function sendJson(
  response: ServerResponse,
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, {
    ...headers,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}
