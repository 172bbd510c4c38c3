import { closedObject, listOf, orNull, text, uuid, namedObject } from '@millrace/messages';

/** One validation error of a request, in FastAPI's shape; `input` only with the answers of Langflow 1.11. */
const faultSchema = namedObject(
  'Fault',
  {
    type: text,
    loc: listOf({ type: ['string', 'integer'] }),
    msg: text,
    input: {},
    ctx: { type: 'object' },
  },
  ['input', 'ctx'],
);

/** An error of `/api/v2/workflows`, with Langflow's codes. */
const explainedSchema = {
  type: 'object',
  properties: { error: text, code: text, message: text },
  required: ['error', 'code'],
} as const;

/** A change of a flow that depends on an earlier state of it, in Langflow's shape. */
const flowConflictSchema = namedObject('FlowConflict', {
  code: { const: 'flow_version_conflict' },
  message: text,
  flow_id: uuid,
  expected_version_token: uuid,
  current_version_token: uuid,
  modified_by: closedObject({ id: uuid, username: orNull(text) }),
  modified_at: text,
});

/** Body of an error with one reason. */
export const refusalSchema = closedObject({ detail: { anyOf: [text, explainedSchema, flowConflictSchema] } });

/** Body of a 422: a text, or a list of validation errors. */
export const faultsSchema = closedObject({
  detail: { anyOf: [text, explainedSchema, { ...listOf(faultSchema), minItems: 1 }] },
});

/** Body of an error of JSON-RPC 2.0. */
export const jsonRpcRefusalSchema = closedObject({
  jsonrpc: { const: '2.0' },
  id: orNull(text),
  error: closedObject({ code: { type: 'integer' }, message: text }),
});

/** An error in the shape of OpenAI's interface. */
export const openAiRefusalSchema = closedObject({
  error: closedObject({ message: text, type: text, param: orNull(text), code: text }),
});
