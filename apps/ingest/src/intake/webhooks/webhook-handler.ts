import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { newRun } from '@millrace/dispatch';
import { GATEWAY_HEADER, factsOf, HttpError, nameTrace, requestIdOf } from '@millrace/http';
import type { BodyBudget } from '@millrace/http';
import type { RefusedSignIns } from '@millrace/access';
import type { Acceptance, FlowReference, NewRun, RunStore } from '@millrace/runs';
import { machineTime, uuidv7 } from '@millrace/service';
import { DurableIntake } from '../durable-intake';
import type { DurableIntakeDependencies } from '../durable-intake';
import { pathOf, toHttpError, urlPattern, answerHandshake } from '../http-answers';
import type { HttpAnswers } from '../http-answers';
import type { RefusedDeliveries } from '../refused-deliveries';
import { withRequestParts } from './request-parts';
import { emptyBody, readWebhookBody } from '../webhook-body';
import { WebhookFiles, webhookPayload } from './webhook-payload';
import type { WebhookFilesDependencies } from './webhook-payload';
import { sendChallengeAnswer } from './challenges/answer-challenge';
import type { ChallengeAnswer } from './challenges/answer-challenge';
import { methodNotAllowed, WebhookChallenges } from './challenges/webhook-challenges';
import { checkSignature } from './signatures/check-signature';
import { slackChallenge } from './signatures/slack-challenge';
import type { WebhookSecrets } from './signatures/webhook-secrets';
import type { WaitingSenders } from './waiting-senders';
import type { WebhookAuthenticator } from './webhook-authenticator';

/** The pattern of the path, for logs and metrics. */
export const WEBHOOK_ROUTE = '/api/v1/webhook/:flow';
/** Errors of keys and signatures, which the audit log counts. A webhook without a key is not counted. */
const SIGN_IN_CODES: ReadonlySet<string> = new Set([
  'key_invalid',
  'permission_denied',
  'signature_invalid',
  'challenge_refused',
]);
const URL_PATTERN = urlPattern(WEBHOOK_ROUTE);
/** The rest of the body is not read. */
const UNREAD_BODY = { connection: 'close' } as const;

export interface WebhookHandlerDependencies extends DurableIntakeDependencies, WebhookFilesDependencies {
  readonly authenticator: WebhookAuthenticator;
  readonly secrets: WebhookSecrets;
  readonly runs: RunStore;
  readonly answers: HttpAnswers;
  readonly refusedDeliveries: Pick<RefusedDeliveries, 'add'>;
  readonly refusedSignIns: Pick<RefusedSignIns, 'count'>;
  readonly maximumBodyBytes: number;
  readonly maximumBodyMembers: number;
  readonly bodies: BodyBudget;
  readonly backgroundLimitMilliseconds: number;
  readonly maximumAttempts: number;
  readonly publishedRunsPerUser: number;
  /** Answers senders who wait for their runs. */
  readonly waiting: WaitingSenders;
  onAccepted(): void;
  /** Called when a sender has verified the webhook address of a flow. */
  onVerified(
    flow: FlowReference,
    verification: { readonly sender: string; readonly requestId: string | null },
  ): void;
}

/** Accepts webhooks. A 202 means that the run is durable. */
export class WebhookHandler {
  readonly #dependencies: WebhookHandlerDependencies;
  readonly #intake: DurableIntake<NewRun, Acceptance>;
  readonly #challenges: WebhookChallenges;

  constructor(dependencies: WebhookHandlerDependencies) {
    this.#dependencies = dependencies;
    this.#challenges = new WebhookChallenges(dependencies);
    const { runs: store, publishedRunsPerUser: publishedPerUser } = dependencies;
    this.#intake = new DurableIntake({
      ...dependencies,
      commit: async (runs) => {
        const accepted = await store.admit(runs, { publishedPerUser });
        return runs.map(({ id }) => accepted.get(id) ?? { canonicalRunId: id, isInBacklog: true });
      },
      commitsAtOnce: 2,
    });
  }

  /** Returns true when the path is that of a webhook; the handler then sends the response. */
  handle(request: IncomingMessage, response: ServerResponse): boolean {
    const route = URL_PATTERN.exec(request.url ?? '');
    if (!route?.[1]) return false;
    factsOf(request).route = WEBHOOK_ROUTE;
    const reference = decodeReference(route[1]);
    const query = new URLSearchParams(route[2] ?? '');
    if (request.method === 'POST') void this.#handleWebhook(request, response, reference, query);
    else void this.#handleVerification(request, response, reference, query);
    return true;
  }

  close(): Promise<void> {
    return this.#intake.close();
  }

  /** Answers senders who verify the address with a GET, or ask whether it accepts deliveries. */
  async #handleVerification(
    request: IncomingMessage,
    response: ServerResponse,
    reference: string,
    query: URLSearchParams,
  ): Promise<void> {
    nameTrace(response);
    let flow: FlowReference | null = null;
    try {
      if (answerHandshake(request, response, { perMinute: '*' })) return;
      if (request.method !== 'GET') throw methodNotAllowed();
      flow = await this.#challenges.flowOf(request, reference, query);
      Object.assign(factsOf(request), { userId: flow.userId, flowId: flow.id });
      const answer = await this.#challenges.answerTo(flow, query);
      if (answer === null) throw methodNotAllowed();
      this.#sendChallengeAnswer(request, response, { flow, answer });
    } catch (error) {
      this.#refuse(request, response, { refusal: toHttpError('webhook', error), flow, error });
    }
  }

  #sendChallengeAnswer(
    request: IncomingMessage,
    response: ServerResponse,
    { flow, answer }: { readonly flow: FlowReference; readonly answer: ChallengeAnswer },
  ): void {
    this.#dependencies.answers.closeConnectionOnShutdown(response);
    sendChallengeAnswer(response, answer);
    const requestId = requestIdOf(request, response);
    this.#dependencies.onVerified(flow, { sender: answer.sender, requestId });
  }

  async #handleWebhook(
    request: IncomingMessage,
    response: ServerResponse,
    reference: string,
    query: URLSearchParams,
  ): Promise<void> {
    nameTrace(response);
    const share = this.#dependencies.bodies.open();
    let flow: FlowReference | null = null;
    let files: WebhookFiles | null = null;
    try {
      const { authenticator } = this.#dependencies;
      const sender = await this.#intake.inTime(() =>
        authenticator.sender(request, reference, query, response),
      );
      ({ flow } = sender);
      Object.assign(factsOf(request), { userId: flow.userId, flowId: flow.id });
      share.ownedBy(flow.userId);
      // Microsoft Graph verifies an address with a POST.
      const verified = query.has('validationToken') ? await this.#challenges.answerTo(flow, query) : null;
      if (verified !== null) return this.#sendChallengeAnswer(request, response, { flow, answer: verified });
      const waitSeconds = waitSecondsOf(flow, query);
      this.#intake.refuseWithoutRoom(flow.userId, UNREAD_BODY);
      const parts = flow.settings.webhook?.pass ?? [];
      const bytes = await readWebhookBody(request, this.#dependencies.maximumBodyBytes, share);
      if (bytes.length === 0 && !parts.includes('query')) throw emptyBody();
      const signedId = await this.#signedId(flow, request, bytes);
      // Not before: those who cannot sign must not use up what the owner can send today.
      await authenticator.countBytes(sender, { body: bytes.length });
      const requestId = requestIdOf(request, response);
      const id = uuidv7();
      files = new WebhookFiles(this.#dependencies, { userId: flow.userId, runId: id, request, requestId });
      const sent = await webhookPayload(flow, request, { bytes, share, files }, this.#dependencies);
      const challenge = isSlackFlow(flow) ? slackChallenge(sent) : null;
      if (challenge !== null) {
        const echo = {
          sender: 'slack',
          contentType: 'application/json',
          body: JSON.stringify({ challenge }),
        } as const;
        return this.#sendChallengeAnswer(request, response, { flow, answer: echo });
      }
      const { headers } = request;
      const { webhook = {} } = flow.settings;
      const payload = parts.length === 0 ? sent : withRequestParts(sent, webhook, { headers, query });
      const dedupeKey = deliveryKey(flow, { headers, payload: sent, signedId });
      const run = newWebhookRun(flow, { id, payload, dedupeKey, requestId }, this.#dependencies);
      files.accepting();
      const isNew = (stored: Acceptance) => stored.canonicalRunId === id;
      const { canonicalRunId, isInBacklog } = await this.#intake.storeInTime(flow, run, isNew);
      files.accepted(canonicalRunId === id);
      factsOf(request).runId = canonicalRunId;
      this.#dependencies.answers.closeConnectionOnShutdown(response);
      this.#answerRun(request, response, canonicalRunId, { flow, waitSeconds });
      this.#dependencies.onAccepted();
      if (canonicalRunId === run.id) this.#intake.release(run, isInBacklog);
    } catch (error) {
      files?.refused(error);
      // The sender disconnected while sending its body: no response is possible.
      if (response.destroyed) return;
      const refusal = toHttpError('webhook', error);
      this.#refuse(request, response, { refusal, flow, error });
      const { authenticator, refusedDeliveries } = this.#dependencies;
      const find = async () => flow ?? authenticator.addressedFlow(reference);
      void refusedDeliveries.add(find, refusal, request, requestIdOf(request, response));
    } finally {
      share.close();
    }
  }

  /** Does not wait: a suspended caller would keep the body in memory during the run. */
  #answerRun(
    request: IncomingMessage,
    response: ServerResponse,
    runId: string,
    { flow, waitSeconds }: { readonly flow: FlowReference; readonly waitSeconds: number },
  ): void {
    const accept = () => sendAccepted(response, runId);
    if (waitSeconds === 0) return accept();
    if (request.headers[GATEWAY_HEADER] !== undefined) response.writeProcessing();
    const { waiting, authenticator } = this.#dependencies;
    void waiting.answer(response, runId, { waitSeconds, flow, isOpen: authenticator.isOpen(flow), accept });
  }

  #refuse(
    request: IncomingMessage,
    response: ServerResponse,
    refused: {
      readonly refusal: HttpError;
      readonly flow: FlowReference | null;
      readonly error: unknown;
    },
  ): void {
    const { answers, refusedSignIns } = this.#dependencies;
    const { code } = refused.refusal;
    if (SIGN_IN_CODES.has(code)) refusedSignIns.count({ code, request, flowId: refused.flow?.id });
    const requestId = requestIdOf(request, response);
    answers.refuse(response, { ...refused, path: pathOf(request), requestId });
  }

  /**
   * Resolves to the signed delivery id, if the flow's scheme has one. Throws signature_invalid when the signature does
   * not match.
   */
  async #signedId(
    flow: FlowReference,
    { headers }: IncomingMessage,
    body: Buffer,
  ): Promise<string | undefined> {
    const rule = flow.settings.webhook?.signature;
    if (!rule) return undefined;
    const secrets = await this.#dependencies.secrets.findInTime(flow.userId, rule.secrets, (ask) =>
      this.#intake.inTime(ask),
    );
    const claim = checkSignature({ headers, body }, rule, secrets, machineTime());
    if (!claim) throw new HttpError('signature_invalid', 'Invalid webhook signature');
    return claim.deliveryId;
  }
}

function decodeReference(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}

function isSlackFlow({ settings }: FlowReference): boolean {
  return settings.webhook?.signature?.scheme === 'slack';
}

function sendAccepted(response: ServerResponse, runId: string): void {
  const body = `{"message":"Task started in the background","status":"in progress","run_id":"${runId}"}`;
  response.writeHead(202, {
    'x-run-id': runId,
    location: `/api/v1/runs/${runId}`,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}

interface ReceivedWebhook {
  /** The id of the run. */
  readonly id: string;
  readonly payload: string;
  readonly dedupeKey: string | null;
  readonly requestId: string | null;
}

interface WebhookRunLimits {
  readonly backgroundLimitMilliseconds: number;
  readonly maximumAttempts: number;
}

/** Returns the run that a webhook starts. */
function newWebhookRun(
  flow: FlowReference,
  { id, payload, dedupeKey, requestId }: ReceivedWebhook,
  { backgroundLimitMilliseconds, maximumAttempts }: WebhookRunLimits,
): NewRun {
  return newRun({
    id,
    flow,
    userId: flow.userId,
    lane: 'background',
    request: {
      form: 'webhook',
      inputs: [{ components: [], inputValue: '', type: 'chat' }],
      outputs: { by: 'type', type: 'chat' },
      tweaks: {},
      stream: false,
      sessionId: flow.settings.sessions === 'own' ? id : flow.id,
      globalVariables: {},
      webhookPayload: payload,
    },
    dedupeKey,
    requestId,
    limitMilliseconds: backgroundLimitMilliseconds,
    maximumAttempts,
  });
}

const MAXIMUM_ID_LENGTH = 255;
/** The headers in which senders give the id of a delivery; the first one present is used. */
const DELIVERY_HEADERS = ['webhook-id', 'svix-id', 'x-github-delivery', 'idempotency-key'] as const;
/** Where the signed body contains the delivery id, by scheme. */
const BODY_IDS: Readonly<Record<string, { readonly member: string; readonly pattern: RegExp }>> = {
  stripe: { member: 'id', pattern: /^evt_\w{1,250}$/ },
  slack: { member: 'event_id', pattern: /^Ev\w{1,250}$/ },
};

interface Delivery {
  readonly headers: IncomingHttpHeaders;
  readonly payload: string;
  /** The delivery id that is part of the signed bytes, if any. */
  readonly signedId: string | undefined;
}

/**
 * Returns the key under which deliveries count as the same one; null when the delivery has no id. A signed id takes
 * precedence, because a replayed delivery can carry any other header.
 */
function deliveryKey(flow: FlowReference, delivery: Delivery): string | null {
  const { headers, payload, signedId } = delivery;
  const key = (source: string, id: string) => `${flow.id}:${source}:${storableId(id)}`;
  if (signedId !== undefined && signedId !== '') return key('webhook-id', signedId);
  const { signature, deliveryIdHeader } = flow.settings.webhook ?? {};
  const bodyId = signature && idInBody(signature.scheme, payload);
  if (bodyId !== undefined) return key('event', bodyId);
  const configuredHeaders = deliveryIdHeader === undefined ? [] : [deliveryIdHeader.toLowerCase()];
  for (const name of [...configuredHeaders, ...DELIVERY_HEADERS]) {
    const value = headers[name];
    if (typeof value === 'string' && value.length > 0) return key(name, value);
  }
  return null;
}

/** A longer id is replaced by its digest: a sender that repeats it must not start a second run. */
function storableId(id: string): string {
  if (id.length <= MAXIMUM_ID_LENGTH) return id;
  return `sha256=${createHash('sha256').update(id).digest('hex')}`;
}

function idInBody(scheme: string, payload: string): string | undefined {
  const location = BODY_IDS[scheme];
  if (!location) return undefined;
  try {
    const body = JSON.parse(payload) as Readonly<Record<string, unknown>> | null;
    const id = body?.[location.member];
    return typeof id === 'string' && location.pattern.test(id) ? id : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns how long the sender of a webhook waits for the answer of the flow: as long as `?wait=N` or the flow says, 0
 * where the flow does not allow it.
 */
function waitSecondsOf({ settings, pauseReason }: FlowReference, query: URLSearchParams): number {
  const { waitSeconds = 0, maximumWaitSeconds = waitSeconds } = settings.webhook ?? {};
  const text = query.get('wait');
  // The runs of a paused flow start when its pause ends.
  if (pauseReason !== null) return 0;
  if (text === null) return waitSeconds;
  if (!/^\d{1,9}$/.test(text))
    throw new HttpError('invalid_value', 'wait must be a whole number of seconds.');
  return Math.min(Number(text), Math.max(maximumWaitSeconds, waitSeconds));
}
