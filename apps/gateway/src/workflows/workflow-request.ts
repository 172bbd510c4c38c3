import { workflowBodySchema } from '@millrace/contracts';
import type { WorkflowBody } from '@millrace/contracts';
import type { RunRequest } from '@millrace/flow';
import { valueError } from '../http/fault-items';
import type { FaultItem } from '../http/fault-items';
import { normalizeUuid } from '../http/uuid-text';
import { createValidator, invalidRequest } from '../http/validator';
import { unknownProtocol } from './workflow-errors';

const validate = createValidator(workflowBodySchema);
/** Members of Langflow's body that nothing here goes by yet: a run without them would be another run. */
const NOT_TAKEN = ['data', 'start_component_id', 'stop_component_id'] as const;

export interface WorkflowRequest {
  readonly flowId: string;
  readonly mode: 'sync' | 'stream' | 'background';
  readonly run: RunRequest;
  readonly outputIds: readonly string[];
  /** Variables that came in the body. */
  readonly globals: Readonly<Record<string, string>>;
  readonly idempotencyKey: string | null;
}

/** What the body of `POST /api/v2/workflows` asks for. Throws invalid_request. */
export function workflowRequest(
  value: unknown,
  headerVariables: Readonly<Record<string, string>>,
): WorkflowRequest {
  const body = readBody(value);
  const mode = body.mode ?? 'sync';
  const outputIds = body.output_ids ?? [];
  const globals = body.globals ?? {};
  const flowId = normalizeUuid(body.flow_id) ?? body.flow_id;
  return {
    flowId,
    mode,
    outputIds,
    globals,
    idempotencyKey: body.idempotency_key || null,
    run: {
      form: 'simple',
      inputs: inputsOf(body),
      outputs: outputIds.length > 0 ? { by: 'list', outputs: outputIds } : { by: 'type', type: 'any' },
      tweaks: body.tweaks ?? {},
      // Events are told to callers who stream; whoever started a run in the background may ask for them later.
      stream: mode !== 'sync',
      ...(mode === 'sync' ? {} : { vertexEvents: true }),
      sessionId: body.session_id || flowId,
      globalVariables: { ...headerVariables, ...globals },
      ...(body.files && body.files.length > 0 ? { files: body.files } : {}),
    },
  };
}

function readBody(value: unknown): WorkflowBody {
  validate(value);
  const body = value as WorkflowBody;
  if (normalizeUuid(body.flow_id) === null)
    throw invalidRequest([valueError(['body'], value, 'Invalid flow_id, must be a UUID')]);
  const items: FaultItem[] = NOT_TAKEN.filter((name) => isGiven(body[name])).map((name) =>
    notTaken(name, body[name]),
  );
  if (body.stream_protocol === 'agui') items.push(notTaken('stream_protocol', 'agui'));
  if (items.length > 0) throw invalidRequest(items);
  if (body.stream_protocol !== undefined && body.stream_protocol !== 'langflow')
    throw unknownProtocol(body.stream_protocol);
  return body;
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);
}

function notTaken(name: string, input: unknown): FaultItem {
  return { type: 'not_supported', loc: ['body', name], msg: `${name} is not supported`, input };
}

function inputsOf({ input_value: inputValue }: WorkflowBody): RunRequest['inputs'] {
  if (inputValue === undefined) return [];
  return [{ components: [], inputValue, type: 'chat' }];
}
