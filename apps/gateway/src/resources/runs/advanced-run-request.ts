import { advancedRunBodySchema, advancedRunMembers } from './advanced-run-body';
import type { AdvancedRunBody, RunInputBody } from './advanced-run-body';
import type { RunInput, RunRequest } from '@millrace/flow';
import { HttpError } from '@millrace/http';
import { collectValidationErrors } from '../../http/validation/collect-validation-errors';
import { missing } from '../../http/validation/validation-items';
import { flagValue } from '../../http/validation/flag';
import { createValidator, invalidRequest } from '../../http/validation/validator';

const validate = createValidator(advancedRunBodySchema);

export interface AdvancedRunContext {
  readonly flowId: string;
  readonly globalVariables: Readonly<Record<string, string>>;
  /** Reads from the query whether the run is streamed; throws invalid_request. */
  readonly stream: () => boolean;
  /** Reproduces Langflow: `"stream": true` does not stream, and a given session id is never found. */
  readonly isStrict: boolean;
}

/** Parses the body of `POST /api/v1/run/advanced/{flow}`. Throws invalid_request and not_found. */
export function advancedRunRequest(value: unknown, context: AdvancedRunContext): RunRequest {
  const [stream, body] = collectValidationErrors(context.stream, () => readBody(value));
  if (context.isStrict && body.session_id)
    throw new HttpError('not_found', `Session ${body.session_id} not found`);
  return {
    form: 'advanced',
    inputs: (body.inputs ?? [{}]).map(runInputOf),
    outputs: { by: 'list', outputs: body.outputs ?? [] },
    tweaks: body.tweaks ?? {},
    stream: !context.isStrict && (stream || flagValue(body.stream)),
    sessionId: body.session_id || context.flowId,
    globalVariables: context.globalVariables,
  };
}

function readBody(value: unknown): AdvancedRunBody {
  if (value === undefined || value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw invalidRequest(advancedRunMembers.map((name) => missing(['body', name], null)));
  }
  validate(value);
  return value;
}

/** Returns an input from its member of a body. */
export function runInputOf({ components, input_value: inputValue, type }: RunInputBody): RunInput {
  return { components: components ?? [], inputValue: inputValue ?? '', type: type ?? 'any' };
}
