import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestLimits } from '@millrace/access';
import { newTriggerEvent } from '@millrace/dispatch';
import { factsOf, HttpError, nameTrace, requestIdOf } from '@millrace/http';
import type { BodyBudget } from '@millrace/http';
import type {
  EventAcceptance,
  FlowReference,
  NewTriggerEvent,
  TriggerEventStore,
  TriggerStore,
} from '@millrace/runs';
import { machineTime, TokenBuckets, uuidv7 } from '@millrace/service';
import { answerHandshake, notStored, toHttpError, urlPattern } from '../http-answers';
import { DurableIntake } from '../durable-intake';
import type { DurableIntakeDependencies } from '../durable-intake';
import type { HttpAnswers } from '../http-answers';
import type { RefusedDeliveries } from '../refused-deliveries';
import { decodeWebhookBody, jsonBody, readSignedBody } from '../webhook-body';
import { refuseMalformedAddress } from './trigger-address';
import { checkTriggerSignature } from './trigger-signature';

/** The pattern of the path, for logs and metrics. */
export const TRIGGER_ROUTE = '/api/v1/triggers/ingress/:provider/:public_id';
const URL_PATTERN = urlPattern(TRIGGER_ROUTE);
const PROVIDER = 'webhook';
const MAXIMUM_BODY_BYTES = 1_048_576;
const DELIVERIES_PER_SECOND = 10;

export interface TriggerHandlerDependencies extends DurableIntakeDependencies {
  readonly triggers: Pick<TriggerStore, 'findByAddress'>;
  readonly triggerEvents: Pick<TriggerEventStore, 'accept'>;
  readonly answers: HttpAnswers;
  readonly refusedDeliveries: Pick<RefusedDeliveries, 'add'>;
  readonly bodies: BodyBudget;
  readonly pythonPool: string | null;
  readonly maximumBodyBytes: number;
  readonly maximumBodyMembers: number;
  readonly backgroundLimitMilliseconds: number;
  readonly maximumAttempts: number;
  readonly publishedRunsPerUser: number;
  /** How many processes share the limit of deliveries. */
  readonly processes: number;
  readonly requestLimits: RequestLimits;
  onAccepted(): void;
}

/**
 * Accepts signed deliveries to inbound webhooks. A 202 means that the event and its run are durable. Every delivery that is
 * not for a trigger, or not signed with its secret, has the same answer.
 */
export class TriggerHandler {
  readonly #dependencies: TriggerHandlerDependencies;
  readonly #intake: DurableIntake<NewTriggerEvent, EventAcceptance>;
  readonly #limit: TokenBuckets;

  constructor(dependencies: TriggerHandlerDependencies) {
    this.#dependencies = dependencies;
    this.#limit = new TokenBuckets({ perSecond: DELIVERIES_PER_SECOND / dependencies.processes });
    const { triggerEvents, publishedRunsPerUser: publishedPerUser } = dependencies;
    this.#intake = new DurableIntake({
      ...dependencies,
      commit: (events) => triggerEvents.accept(events, { publishedPerUser }),
      commitsAtOnce: 2,
    });
  }

  /** Returns true when the path is an address of a trigger; the handler then sends the response. */
  handle(request: IncomingMessage, response: ServerResponse): boolean {
    const route = URL_PATTERN.exec(request.url ?? '');
    const [, provider, address] = route ?? [];
    if (provider === undefined || address === undefined) return false;
    factsOf(request).route = TRIGGER_ROUTE;
    void this.#handleDelivery(request, response, { provider, address });
    return true;
  }

  close(): Promise<void> {
    return this.#intake.close();
  }

  async #handleDelivery(
    request: IncomingMessage,
    response: ServerResponse,
    { provider, address }: { readonly provider: string; readonly address: string },
  ): Promise<void> {
    nameTrace(response);
    const { answers, bodies, triggers, pythonPool, maximumBodyBytes } = this.#dependencies;
    const share = bodies.open();
    let flow: FlowReference | null = null;
    let triggerName = '';
    try {
      const perMinute = DELIVERIES_PER_SECOND * 60;
      if (answerHandshake(request, response, { perMinute })) return;
      if (request.method !== 'POST')
        throw new HttpError('method_not_allowed', 'Method Not Allowed', { headers: { allow: 'POST' } });
      refuseMalformedAddress(provider, address);
      if (provider !== PROVIDER) throw notFound();
      const found = await this.#intake.inTime(() => triggers.findByAddress(address, pythonPool));
      if (!found) throw notFound();
      ({ flow } = found);
      triggerName = found.trigger.name;
      Object.assign(factsOf(request), { userId: flow.userId, flowId: flow.id });
      share.ownedBy(flow.userId);
      const bytes = await readSignedBody(request, Math.min(MAXIMUM_BODY_BYTES, maximumBodyBytes), share);
      const key = checkTriggerSignature(
        { headers: request.headers, body: bytes },
        found.secret,
        machineTime(),
      );
      if (key === null) throw notFound('not signed with its secret, or more than 300 s ago');
      this.#refuseOverLimits(found.trigger.id, flow.userId);
      await this.#dependencies.requestLimits.count({
        principal: null,
        flow,
        bytes: { body: bytes.length },
        response,
      });
      const delivery = this.#objectOf(bytes);
      const event = this.#event({ ...found, key, delivery, requestId: requestIdOf(request, response) });
      const stored = await this.#intake.storeInTime(flow, event, (accepted) => accepted.isNew);
      const { runId, isNew, isInBacklog, isLocked } = stored;
      if (isLocked) throw notStored('event', new Error('another session locks the row of the trigger'));
      // The trigger was paused or deleted in the meantime.
      if (runId === null) throw notFound('paused or deleted');
      factsOf(request).runId = runId;
      answers.closeConnectionOnShutdown(response);
      response.writeHead(202, { 'content-length': 0 }).end();
      this.#dependencies.onAccepted();
      if (isNew) this.#intake.release(event.run, isInBacklog);
    } catch (error) {
      // The sender disconnected while sending its body: no response is possible.
      if (response.destroyed) return;
      this.#refuse(request, response, { refusal: toHttpError('event', error), flow, triggerName, error });
    } finally {
      share.close();
    }
  }

  #refuseOverLimits(triggerId: string, userId: string): void {
    const wait = this.#limit.take(triggerId);
    if (wait !== null) {
      const text = `Too many deliveries: the limit of a trigger is ${DELIVERIES_PER_SECOND} per second.`;
      throw new HttpError('rate_limited', text, { headers: { 'retry-after': String(Math.ceil(wait)) } });
    }
    this.#intake.refuseWithoutRoom(userId);
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
    const { backgroundLimitMilliseconds, maximumAttempts } = this.#dependencies;
    return newTriggerEvent({
      id: uuidv7(),
      trigger,
      flow,
      dedupeKey: `ingress:${PROVIDER}:${key}`,
      payload: `{"provider":"${PROVIDER}","delivery":${delivery}}`,
      delivery,
      requestId,
      limitMilliseconds: backgroundLimitMilliseconds,
      maximumAttempts,
    });
  }

  #refuse(
    request: IncomingMessage,
    response: ServerResponse,
    { triggerName, ...refused }: RefusedTriggerDelivery,
  ): void {
    const { answers, refusedDeliveries } = this.#dependencies;
    const { refusal, flow } = refused;
    const requestId = requestIdOf(request, response);
    // Without the address: it is known to senders only.
    answers.refuse(response, { ...refused, path: TRIGGER_ROUTE, requestId });
    // The owner sees the reason, which a sender who has proved nothing does not.
    const reason = refusal.cause instanceof RefusalReason ? refusal.cause.message : refusal.message;
    const { code, status } = refusal;
    const message = `trigger "${triggerName}": ${reason}`;
    void refusedDeliveries.add(async () => flow, { code, status, message }, request, requestId);
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
