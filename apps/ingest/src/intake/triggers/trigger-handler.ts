import type { IncomingMessage, ServerResponse } from 'node:http';
import { newTriggerEvent } from '@millrace/dispatch';
import type { RunPublisher } from '@millrace/dispatch';
import { factsOf, HttpError, nameTrace, requestIdOf, sendHttpError } from '@millrace/http';
import type { BodyBudget } from '@millrace/http';
import type {
  GroupCommit,
  EventAcceptance,
  FlowReference,
  NewTriggerEvent,
  TriggerEventStore,
  TriggerStore,
  UserBacklogs,
} from '@millrace/runs';
import { machineTime, TokenBuckets, uuidv7 } from '@millrace/service';
import type { Health } from '@millrace/service';
import { intakeCommit } from '../intake-commit';
import { DatabaseStallGuard } from '../database-stall-guard';
import type { RefusedDeliveries } from '../refused-deliveries';
import type { RefusedWebhookLog } from '../refused-webhook-log';
import { checkTriggerSignature } from './trigger-signature';
import { answerHandshake } from '../answer-handshake';
import { decodeWebhookBody, jsonBody, readSignedBody } from '../webhook-body';

/** The pattern of the path, for logs and metrics. */
export const TRIGGER_ROUTE = '/api/v1/triggers/ingress/:provider/:public_id';
const ROUTE = /^\/api\/v1\/triggers\/ingress\/([^/?]+)\/([^/?]+)\/?(?:\?.*)?$/;
const PROVIDER = 'webhook';
const MINIMUM_ADDRESS_LENGTH = 8;
const MAXIMUM_ADDRESS_LENGTH = 100;
const MAXIMUM_BODY_BYTES = 1_048_576;
const DELIVERIES_PER_SECOND = 10;

export interface TriggerHandlerDependencies {
  readonly triggers: Pick<TriggerStore, 'findByAddress'>;
  readonly triggerEvents: Pick<TriggerEventStore, 'accept'>;
  readonly publisher: RunPublisher;
  readonly backlogs: UserBacklogs;
  readonly health: Pick<Health, 'isShuttingDown'>;
  readonly refusals: RefusedWebhookLog;
  readonly refusedDeliveries: Pick<RefusedDeliveries, 'add'>;
  readonly bodies: BodyBudget;
  readonly pythonPool: string | null;
  readonly maximumBodyBytes: number;
  readonly maximumBodyMembers: number;
  readonly backgroundLimitMilliseconds: number;
  readonly maximumAttempts: number;
  readonly publishedRunsPerUser: number;
  /** How many processes share the limit of deliveries. */
  readonly limitProcesses?: number;
  onAccepted(): void;
  /** Called when a run enters the backlog. */
  onBacklogged(): void;
}

/**
 * Accepts signed deliveries to inbound webhooks. A 202 means that the event and its run are durable. Every delivery that is
 * not for a trigger, or not signed with its secret, has the same answer.
 */
export class TriggerHandler {
  readonly #dependencies: TriggerHandlerDependencies;
  readonly #accept: GroupCommit<NewTriggerEvent, EventAcceptance>;
  readonly #stallGuard = new DatabaseStallGuard();
  readonly #limit: TokenBuckets;

  constructor(dependencies: TriggerHandlerDependencies) {
    this.#dependencies = dependencies;
    this.#limit = new TokenBuckets({ perSecond: DELIVERIES_PER_SECOND / (dependencies.limitProcesses ?? 1) });
    this.#accept = intakeCommit((events) =>
      dependencies.triggerEvents.accept(events, { publishedPerUser: dependencies.publishedRunsPerUser }),
    );
  }

  /** Returns true when the path is an address of a trigger; the handler then sends the response. */
  handle(request: IncomingMessage, response: ServerResponse): boolean {
    const route = ROUTE.exec(request.url ?? '');
    const [, provider, address] = route ?? [];
    if (provider === undefined || address === undefined) return false;
    factsOf(request).route = TRIGGER_ROUTE;
    void this.#handleDelivery(request, response, { provider, address });
    return true;
  }

  close(): Promise<void> {
    return this.#accept.close();
  }

  async #handleDelivery(
    request: IncomingMessage,
    response: ServerResponse,
    { provider, address }: { readonly provider: string; readonly address: string },
  ): Promise<void> {
    nameTrace(response);
    const body = this.#dependencies.bodies.open();
    let flow: FlowReference | null = null;
    let triggerName = '';
    try {
      const perMinute = DELIVERIES_PER_SECOND * 60;
      if (answerHandshake(request, response, { perMinute })) return;
      if (request.method !== 'POST')
        throw new HttpError('method_not_allowed', 'Method Not Allowed', { headers: { allow: 'POST' } });
      refuseShortAddress(address);
      if (provider !== PROVIDER || address.length > MAXIMUM_ADDRESS_LENGTH) throw notFound();
      const found = await this.#stallGuard.withinDeadline(() =>
        this.#dependencies.triggers.findByAddress(address),
      );
      if (!found) throw notFound();
      ({ flow } = found);
      triggerName = found.trigger.name;
      Object.assign(factsOf(request), { userId: flow.userId, flowId: flow.id });
      const { maximumBodyBytes } = this.#dependencies;
      const bytes = await readSignedBody(request, Math.min(MAXIMUM_BODY_BYTES, maximumBodyBytes), body);
      const key = checkTriggerSignature(
        { headers: request.headers, body: bytes },
        found.secret,
        machineTime(),
      );
      if (key === null) throw notFound('not signed with its secret, or more than 300 s ago');
      this.#refuseOverLimits(found.trigger.id, flow.userId);
      const delivery = this.#objectOf(bytes);
      const event = this.#event({ ...found, key, delivery, requestId: requestIdOf(request, response) });
      const { runId, isNew, isInBacklog, isLocked } = await this.#stallGuard.withinDeadline(() =>
        this.#accept.add(event),
      );
      if (isLocked) throw unavailable(new Error('another session locks the row of the trigger'));
      // The trigger was paused or deleted in the meantime.
      if (runId === null) throw notFound('paused or deleted');
      factsOf(request).runId = runId;
      this.#closeConnectionOnShutdown(response);
      response.writeHead(202, { 'content-length': 0 }).end();
      this.#dependencies.onAccepted();
      if (isNew) this.#release(event, isInBacklog);
    } catch (error) {
      // The sender disconnected while sending its body: no response is possible.
      if (response.destroyed) return;
      this.#closeConnectionOnShutdown(response);
      this.#refuse(request, response, { refusal: toHttpError(error), flow, triggerName, error });
    } finally {
      body.close();
    }
  }

  #refuseOverLimits(triggerId: string, userId: string): void {
    const wait = this.#limit.take(triggerId);
    if (wait !== null) {
      const text = `Too many deliveries: the limit of a trigger is ${DELIVERIES_PER_SECOND} per second.`;
      throw new HttpError('rate_limited', text, { headers: { 'retry-after': String(Math.ceil(wait)) } });
    }
    const refusal = this.#dependencies.backlogs.refusal(userId);
    if (!refusal) return;
    const headers = { 'retry-after': String(refusal.retryAfterSeconds) };
    throw new HttpError('too_many_waiting', refusal.text, { headers });
  }

  /** Returns the text of the body, which must be a JSON object or empty. */
  #objectOf(bytes: Buffer): string {
    if (bytes.length === 0) return '{}';
    try {
      const { maximumBodyBytes, maximumBodyMembers } = this.#dependencies;
      const body = decodeWebhookBody(bytes, maximumBodyMembers);
      const text = jsonBody(body, Math.min(MAXIMUM_BODY_BYTES, maximumBodyBytes));
      const value: unknown = JSON.parse(text);
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) return text;
    } catch (error) {
      if (error instanceof HttpError && error.code === 'body_too_large') throw error;
    }
    throw notFound('the body is not a JSON object');
  }

  #event({ trigger, flow, key, delivery, requestId }: AddressedDelivery): NewTriggerEvent {
    const { pythonPool, backgroundLimitMilliseconds, maximumAttempts } = this.#dependencies;
    const moves = pythonPool !== null && flow.needsPython && flow.settings.pool === undefined;
    return newTriggerEvent({
      id: uuidv7(),
      trigger,
      flow: moves ? { ...flow, pool: pythonPool } : flow,
      dedupeKey: `ingress:${PROVIDER}:${key}`,
      payload: `{"provider":"${PROVIDER}","delivery":${delivery}}`,
      delivery,
      requestId,
      limitMilliseconds: backgroundLimitMilliseconds,
      maximumAttempts,
    });
  }

  #release({ run }: NewTriggerEvent, isInBacklog: boolean): void {
    const { publisher, backlogs, onBacklogged } = this.#dependencies;
    if (!isInBacklog) return void publisher.publishNew(run);
    backlogs.increment(run.userId);
    onBacklogged();
  }

  #refuse(
    request: IncomingMessage,
    response: ServerResponse,
    { triggerName, ...refused }: RefusedTriggerDelivery,
  ): void {
    const { refusal, flow } = refused;
    const { refusals, refusedDeliveries } = this.#dependencies;
    const requestId = requestIdOf(request, response);
    // Without the address: it is known to senders only.
    refusals.write({ ...refused, path: TRIGGER_ROUTE, requestId });
    // The owner sees the reason, which a sender who has proved nothing does not.
    const reason = refusal.cause instanceof RefusalReason ? refusal.cause.message : refusal.message;
    const { code, status } = refusal;
    const message = `trigger "${triggerName}": ${reason}`;
    void refusedDeliveries.add(async () => flow, { code, status, message }, request, requestId);
    if (!response.headersSent && !response.destroyed) sendHttpError(response, refusal);
  }

  #closeConnectionOnShutdown(response: ServerResponse): void {
    if (this.#dependencies.health.isShuttingDown && !response.headersSent)
      response.setHeader('connection', 'close');
  }
}

type Addressed = NonNullable<Awaited<ReturnType<TriggerStore['findByAddress']>>>;

interface AddressedDelivery extends Pick<Addressed, 'trigger' | 'flow'> {
  readonly key: string;
  readonly delivery: string;
  readonly requestId: string | null;
}

interface RefusedTriggerDelivery {
  readonly refusal: HttpError;
  /** The flow and the name of the trigger, if it was found. */
  readonly flow: FlowReference | null;
  readonly triggerName: string;
  readonly error: unknown;
}

/** Why a delivery to a known trigger was refused. */
class RefusalReason extends Error {}

function notFound(reason?: string): HttpError {
  return new HttpError('trigger_unknown', 'Not found', {
    ...(reason === undefined ? {} : { cause: new RefusalReason(reason) }),
  });
}

function refuseShortAddress(address: string): void {
  if (address.length >= MINIMUM_ADDRESS_LENGTH) return;
  const msg = `String should have at least ${MINIMUM_ADDRESS_LENGTH} characters`;
  const ctx = { min_length: MINIMUM_ADDRESS_LENGTH };
  throw new HttpError('invalid_request', [
    { type: 'string_too_short', loc: ['path', 'public_id'], msg, ctx },
  ]);
}

function toHttpError(error: unknown): HttpError {
  return error instanceof HttpError ? error : unavailable(error);
}

function unavailable(cause: unknown): HttpError {
  const text = 'The event could not be stored; please send it again.';
  return new HttpError('database_unavailable', text, { cause, headers: { 'retry-after': '1' } });
}
