import { simpleRunBodySchema } from './simple-run-body';
import type { SimpleRunBody } from './simple-run-body';
import type { OutputSelection, RunInput, RunRequest } from '@millrace/flow';
import { HttpError } from '@millrace/http';
import { collectValidationErrors } from '../../http/validation/collect-validation-errors';
import { missing } from '../../http/validation/validation-items';
import { createValidator, invalidRequest } from '../../http/validation/validator';
import { failureDetail } from '../../run-answers/run-failure-error';

const validate = createValidator(simpleRunBodySchema);

export interface SimpleRunContext {
  readonly flowId: string;
  /** Reads from the query whether the run is streamed; throws invalid_request. */
  readonly stream: () => boolean;
  /** Reproduces Langflow: an invalid flat body counts as no body. */
  readonly ignoresInvalidBody: boolean;
  readonly globalVariables: Readonly<Record<string, string>>;
}

/**
 * Parses the body of `POST /api/v1/run/{flow}`, which is flat or wrapped as `{"input_request": …}`. No body, or null,
 * gives the defaults. Throws invalid_request, which lists the errors of the query first.
 */
export function simpleRunRequest(value: unknown, runContext: SimpleRunContext): RunRequest {
  const [stream, body] = collectValidationErrors(runContext.stream, () => readBody(value, runContext));
  return {
    form: 'simple',
    inputs: inputsOf(body),
    outputs: outputsOf(body),
    tweaks: body.tweaks ?? {},
    stream,
    sessionId: body.session_id || runContext.flowId,
    globalVariables: runContext.globalVariables,
  };
}

function readBody(value: unknown, { ignoresInvalidBody }: SimpleRunContext): SimpleRunBody {
  if (value === undefined || value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw invalidRequest(['input_request', 'context'].map((name) => missing(['body', name], null)));
  }
  const { input_request: wrapped, context } = value as Readonly<Record<string, unknown>>;
  const [body] = collectValidationErrors(
    () =>
      wrapped === undefined || wrapped === null
        ? readFlatBody(value, ignoresInvalidBody)
        : readWrapped(wrapped),
    () => checkContext(context),
  );
  return body;
}

function readWrapped(value: unknown): SimpleRunBody {
  validate(value, { loc: ['body', 'input_request'] });
  return value as SimpleRunBody;
}

function readFlatBody(value: object, ignoresInvalidBody: boolean): SimpleRunBody {
  try {
    validate(value);
    return value;
  } catch (error) {
    if (ignoresInvalidBody && error instanceof HttpError) return {};
    throw error;
  }
}

function checkContext(context: unknown): void {
  if (context === undefined || context === null) return;
  if (typeof context === 'object' && !Array.isArray(context)) return;
  const msg = 'Input should be a valid dictionary';
  throw invalidRequest([{ type: 'dict_type', loc: ['body', 'context'], msg, input: context }]);
}

function inputsOf({ input_value: inputValue, input_type: inputType }: SimpleRunBody): readonly RunInput[] {
  if (inputValue === undefined || inputValue === null) return [];
  return [{ components: [], inputValue, type: inputType === undefined ? 'chat' : (inputType ?? 'any') }];
}

function outputsOf({ output_component: component, output_type: type }: SimpleRunBody): OutputSelection {
  if (component) return { by: 'component', component };
  if (type !== null) return { by: 'type', type: type ?? 'chat' };
  // Langflow fails here, and its clients may rely on the status.
  throw new HttpError('output_type_missing', failureDetail('output_type must not be null', 'simple'));
}
