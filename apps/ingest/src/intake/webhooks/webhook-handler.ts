import type { IncomingMessage, ServerResponse } from 'node:http';
import { GATEWAY_HEADER, factsOf, HttpError, nameTrace, requestIdOf } from '@millrace/http';
import type { BodyBudget } from '@millrace/http';
import type { RefusedSignIns } from '@millrace/access';
import type { Acceptance, FlowReference, NewRun, RunStore } from '@millrace/runs';
import { machineTime, uuidv7 } from '@millrace/service';
import { DurableIntake } from '../durable-intake';
import type { DurableIntakeDependencies } from '../durable-intake';
import { pathOf, toHttpError, urlPattern, answerHandshake } from '../http-answers';
import type { HttpAnswers } from '../http-answers';
import { deliveryKey, newWebhookRun, waitSecondsOf } from './webhook-run';
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
const SIGN_IN_CODES: ReadonlySet<string> = new Set(['key_invalid', 'signature_invalid', 'challenge_refused']);
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
      flow = await this.#intake.inTime(() =>
        this.#dependencies.authenticator.authenticate(request, reference, query),
      );
      Object.assign(factsOf(request), { userId: flow.userId, flowId: flow.id });
      // Microsoft Graph verifies an address with a POST.
      const verified = query.has('validationToken') ? await this.#challenges.answerTo(flow, query) : null;
      if (verified !== null) return this.#sendChallengeAnswer(request, response, { flow, answer: verified });
      const waitSeconds = waitSecondsOf(flow, query);
      this.#intake.refuseWithoutRoom(flow.userId, UNREAD_BODY);
      const parts = flow.settings.webhook?.pass ?? [];
      const bytes = await readWebhookBody(request, this.#dependencies.maximumBodyBytes, share);
      if (bytes.length === 0 && !parts.includes('query')) throw emptyBody();
      const signedId = await this.#signedId(flow, request, bytes);
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
      const { canonicalRunId, isInBacklog } = await this.#intake.storeInTime(run);
      files.accepted(canonicalRunId === id);
      factsOf(request).runId = canonicalRunId;
      this.#dependencies.answers.closeConnectionOnShutdown(response);
      this.#answerRun(request, response, canonicalRunId, { flow, waitSeconds });
      this.#dependencies.onAccepted();
      if (canonicalRunId === run.id) this.#intake.release(run, isInBacklog);
    } catch (error) {
      files?.refused();
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
    const secrets = await this.#intake.inTime(() =>
      this.#dependencies.secrets.find(flow.userId, rule.secrets),
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
