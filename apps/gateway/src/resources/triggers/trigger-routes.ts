import {
  triggerBodySchema,
  triggerChangesSchema,
  triggerPinSchema,
  triggerReplaySchema,
  triggerTestSchema,
} from './trigger-bodies';
import type { TriggerBody, TriggerChangesBody } from './trigger-bodies';
import type { FlowCache } from '@millrace/access';
import type { TriggerRecord, TriggerStore } from '@millrace/runs';
import { baseUrlOf } from '../../http/base-url';
import { collectValidationErrors, createValidator, invalidRequest } from '../../http/validation/validator';
import type { Validator } from '../../http/validation/validator';
import { integerParameter, uuidParameter } from '../../http/validation/query';
import { requireBody } from '../../http/validation/require-body';
import { forManagement } from '../../http/routing/access';
import { pathParameter, requestIdOf } from '../../http/routing/route';
import type { KeyedCall, Method, Route } from '../../http/routing/route';
import { sendJson } from '../../http/answers/send-json';
import { normalizeUuid, parseUuidStrictly } from '../../http/validation/uuid-text';
import { missing } from '../../http/validation/validation-items';
import type { Operation } from '../../http/routing/operation';
import { authorOf } from '../../authentication/author-of';
import type { FlowAuthor } from '../../authentication/author-of';
import { triggerOperations as operations } from './trigger-operations';
import { requireInboundWebhook } from './trigger-changes';
import { triggerNotFound } from './trigger-service';
import type { TriggerService } from './trigger-service';
import { eventView, rejectionView, triggerView } from './trigger-view';

const checkNew = createValidator(triggerBodySchema);
const checkChanges = createValidator(triggerChangesSchema);
const checkPin = createValidator(triggerPinSchema);
const checkTest = createValidator(triggerTestSchema);
const checkReplay = createValidator(triggerReplaySchema);
const MAXIMUM_PAGE_SIZE = 200;
const MAXIMUM_OFFSET = 1_000_000;
const BASE = '/api/v1/triggers';

export interface TriggerRoutesOptions {
  readonly triggers: TriggerStore;
  readonly triggerService: TriggerService;
  readonly flows: FlowCache;
  /** Base URL at which callers reach the gateway; taken from each request when unset. */
  readonly publicUrl: string | undefined;
}

/** Routes for the triggers of flows and their events. */
export function triggerRoutes(options: TriggerRoutesOptions): readonly Route[] {
  const { triggers, triggerService: service, flows } = options;
  const list = async (call: KeyedCall) => {
    const [flowId, page] = collectValidationErrors(
      () => requiredFlowId(call),
      () => pageOf(call),
    );
    if (!(await flows.find(call.principal.userId, flowId))) throw triggerNotFound();
    const found = await triggers.list(call.principal.userId, flowId, page);
    sendJson(call.response, 200, found.map(triggerView));
  };
  const create = async (call: KeyedCall) => {
    checkNew(requireBody(call.body));
    const body = call.body as TriggerBody;
    const flowId = normalizeUuid(body.flow_id) ?? body.flow_id;
    const created = await service.create(authorOf(call), { ...body, flow_id: flowId });
    sendJson(call.response, 201, triggerView(created));
  };
  const read = async (call: KeyedCall) =>
    sendJson(call.response, 200, triggerView(await service.find(call.principal.userId, triggerIdOf(call))));
  const update = async (call: KeyedCall) => {
    const id = idAndBody(call, checkChanges);
    sendJson(
      call.response,
      200,
      triggerView(await service.update(authorOf(call), id, call.body as TriggerChangesBody)),
    );
  };
  const remove = async (call: KeyedCall) => {
    await service.remove(authorOf(call), triggerIdOf(call));
    // Without a content type, unlike other routes.
    call.response.writeHead(204).end();
  };
  const changing =
    (change: (author: FlowAuthor, id: string) => Promise<TriggerRecord>) => async (call: KeyedCall) =>
      sendJson(call.response, 200, triggerView(await change(authorOf(call), triggerIdOf(call))));
  const pin = async (call: KeyedCall) => {
    const id = idAndBody(call, checkPin);
    const { flow_version_id: version } = call.body as { readonly flow_version_id: string | null };
    const pinned = await service.pin(authorOf(call), id, version === null ? null : normalizeUuid(version));
    sendJson(call.response, 200, triggerView(pinned));
  };
  const test = async (call: KeyedCall) => {
    const id = idAndBody(call, checkTest);
    const { payload } = call.body as { readonly payload?: object };
    const event = await service.test(call.principal.userId, id, payload ?? {}, requestIdOf(call.response));
    sendJson(call.response, 202, eventView(event));
  };
  const replay = async (call: KeyedCall) => {
    const id = idAndBody(call, checkReplay);
    const { event_id: given } = call.body as { readonly event_id: string };
    const eventId = normalizeUuid(given) ?? given;
    const event = await service.replay(call.principal.userId, id, eventId, requestIdOf(call.response));
    sendJson(call.response, 202, eventView(event));
  };
  const events = async (call: KeyedCall) => {
    const [id, page] = collectValidationErrors(
      () => triggerIdOf(call),
      () => pageOf(call),
    );
    await service.find(call.principal.userId, id);
    const found = await triggers.events(call.principal.userId, id, page);
    sendJson(call.response, 200, found.map(eventView));
  };
  const addressOf = (call: KeyedCall, triggerId: string, publicId: string | null) => ({
    trigger_id: triggerId,
    public_id: publicId,
    ingress_url:
      publicId && `${options.publicUrl ?? baseUrlOf(call.request)}${BASE}/ingress/webhook/${publicId}`,
    has_signing_secret: publicId !== null,
  });
  const rejections = async (call: KeyedCall) => {
    const [id, page] = collectValidationErrors(
      () => triggerIdOf(call),
      () => pageOf(call),
    );
    await service.find(call.principal.userId, id);
    const found = await triggers.rejections(call.principal.userId, id, page);
    sendJson(call.response, 200, found.map(rejectionView));
  };
  const ingress = async (call: KeyedCall) => {
    const trigger = await service.find(call.principal.userId, triggerIdOf(call));
    const { id, publicId } = requireInboundWebhook(trigger);
    sendJson(call.response, 200, addressOf(call, id, publicId));
  };
  const secret = async (call: KeyedCall) => {
    const id = triggerIdOf(call);
    const { publicId, secret: made } = await service.rotateSecret(authorOf(call), id);
    sendJson(call.response, 200, { ...addressOf(call, id, publicId), signing_secret: made });
  };
  const route = (
    method: Method,
    path: string,
    operation: Operation,
    handle: (call: KeyedCall) => Promise<void>,
  ) => ({
    access: forManagement,
    method,
    path: `${BASE}${path}`,
    ...(operation.body ? { body: 'json' as const } : {}),
    operation,
    handle,
  });
  return [
    route('GET', '', operations.list, list),
    route('POST', '', operations.create, create),
    route('GET', '/:trigger_id', operations.read, read),
    route('PATCH', '/:trigger_id', operations.update, update),
    route('DELETE', '/:trigger_id', operations.remove, remove),
    route('POST', '/:trigger_id/enable', operations.enable, changing(service.enable.bind(service))),
    route('POST', '/:trigger_id/disable', operations.disable, changing(service.disable.bind(service))),
    route('POST', '/:trigger_id/pin', operations.pin, pin),
    route('POST', '/:trigger_id/test', operations.test, test),
    route('POST', '/:trigger_id/replay', operations.replay, replay),
    route('GET', '/:trigger_id/events', operations.events, events),
    route('GET', '/:trigger_id/rejections', operations.rejections, rejections),
    route('GET', '/:trigger_id/ingress', operations.ingress, ingress),
    route('POST', '/:trigger_id/signing-secret', operations.secret, secret),
  ];
}

/** Reads a page of at most 200 entries; 50 unless given. */
export function pageOf({ query }: KeyedCall): { readonly limit: number; readonly offset: number } {
  const [limit, offset] = collectValidationErrors(
    () =>
      integerParameter(query, 'limit', {
        absent: 50,
        minimum: 1,
        maximum: MAXIMUM_PAGE_SIZE,
        refusesMore: true,
      }),
    () => integerParameter(query, 'offset', { absent: 0, minimum: 0, maximum: MAXIMUM_OFFSET }),
  );
  return { limit, offset };
}

function requiredFlowId({ query }: KeyedCall): string {
  const id = uuidParameter(query, 'flow_id');
  if (id === undefined) throw invalidRequest([missing(['query', 'flow_id'], null)]);
  return id;
}

function idAndBody(call: KeyedCall, check: Validator): string {
  const [id] = collectValidationErrors(
    () => triggerIdOf(call),
    () => check(requireBody(call.body)),
  );
  return id;
}

function triggerIdOf({ request }: KeyedCall): string {
  return parseUuidStrictly(pathParameter(request, 'trigger_id'), ['path', 'trigger_id']);
}
