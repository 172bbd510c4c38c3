import type { IncomingHttpHeaders } from 'node:http';
import { workflowBodySchema } from './workflow-bodies';
import type { WorkflowBody } from './workflow-bodies';
import type { RunRequest, Tweaks } from '@millrace/flow';
import type { LangflowRelease } from '@millrace/service';
import { sessionOr } from '../../end-users/end-user-sessions';
import type { EndUser } from '../../end-users/end-user-sessions';
import type { KeyedCall } from '../../http/routing/route';
import { valueError } from '../../http/validation/validation-items';
import type { ValidationItem } from '../../http/validation/validation-item';
import { headerVariables, requestedDeadlineSeconds } from '../../http/run-headers';
import { normalizeUuid } from '../../http/validation/uuid-text';
import { createValidator, invalidRequest } from '../../http/validation/validator';
import { streamShape } from './stream-shape';
import { unsupportedByMode, unsupportedBySync } from './workflow-errors';
import type { StreamShape } from './stream-shape';

const validate = createValidator(workflowBodySchema);
/** Members of Langflow's body that are not supported yet. Ignoring them would change the result of the run. */
const UNSUPPORTED_MEMBERS = ['data', 'start_component_id', 'stop_component_id'] as const;

export interface WorkflowRequest {
  readonly flowId: string;
  readonly mode: 'sync' | 'stream' | 'background';
  readonly run: RunRequest;
  readonly outputIds: readonly string[];
  /** Variables of the headers and of the body, which counts when both have one. */
  readonly globals: Readonly<Record<string, string>>;
  readonly idempotencyKey: string | null;
  readonly endUser: EndUser;
  /** The deadline that the caller sets, in seconds. */
  readonly deadlineSeconds: number | null;
  readonly shape: StreamShape;
}

/** Parses the body of `POST /api/v2/workflows`; what the console starts keeps values of vertices. Throws invalid_request. */
export function workflowRequest(
  value: unknown,
  headers: IncomingHttpHeaders,
  release: LangflowRelease,
  { principal: { session }, endUser }: Pick<KeyedCall, 'principal' | 'endUser'>,
): WorkflowRequest {
  const body = readBody(value);
  const mode = body.mode ?? 'sync';
  const outputIds = body.output_ids ?? [];
  if (outputIds.length > 0 && mode !== 'sync') throw unsupportedByMode(mode, ['output_ids']);
  const globals = { ...headerVariables(headers), ...body.globals };
  const flowId = normalizeUuid(body.flow_id) ?? body.flow_id;
  return {
    flowId,
    mode,
    outputIds,
    globals,
    idempotencyKey: body.idempotency_key || null,
    endUser,
    deadlineSeconds: requestedDeadlineSeconds(headers),
    shape: streamShape(body.stream_protocol, body.expose_graph_state),
    run: {
      form: 'simple',
      inputs: inputsOf(body, release),
      outputs: outputIds.length > 0 ? { by: 'list', outputs: outputIds } : { by: 'type', type: 'any' },
      tweaks: (body.tweaks ?? {}) as Tweaks,
      // Callers can also request the events of a background run later.
      stream: mode !== 'sync',
      ...(mode === 'sync' ? {} : { vertexEvents: true }),
      // The console shows what a model answers as it comes.
      ...(mode === 'sync' || session !== undefined ? {} : { keepsStreamFields: true }),
      ...(session === undefined ? {} : { keepsValues: true }),
      ...sessionOr(flowId, endUser, body.session_id),
      globalVariables: globals,
      ...(body.files && body.files.length > 0 ? { files: body.files } : {}),
    },
  };
}

function readBody(value: unknown): WorkflowBody {
  validate(value);
  const body = value as WorkflowBody;
  if (normalizeUuid(body.flow_id) === null)
    throw invalidRequest([valueError(['body'], value, 'Invalid flow_id, must be a UUID')]);
  const given = UNSUPPORTED_MEMBERS.filter((name) => isGiven(body[name]));
  if (given.length === 0) return body;
  if ((body.mode ?? 'sync') === 'sync') throw unsupportedBySync(given);
  throw invalidRequest(given.map((name) => unsupported(name, body[name])));
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);
}

function unsupported(name: string, input: unknown): ValidationItem {
  return { type: 'not_supported', loc: ['body', name], msg: `${name} is not supported`, input };
}

/**
 * As in Langflow, a Chat Input uses its saved text when the input is empty or absent. A followed run that names its session
 * has the empty text instead.
 */
function inputsOf(
  { input_value: inputValue, mode, session_id: sessionId }: WorkflowBody,
  release: LangflowRelease,
): RunRequest['inputs'] {
  const usesSavedText =
    release === '1.11'
      ? inputValue === undefined
      : !inputValue && ((mode ?? 'sync') === 'sync' || !sessionId);
  return usesSavedText ? [] : [{ components: [], inputValue: inputValue ?? '', type: 'chat' }];
}
