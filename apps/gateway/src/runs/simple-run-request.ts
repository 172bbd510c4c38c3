import { simpleRunBodySchema } from '@millrace/contracts';
import type { SimpleRunBody } from '@millrace/contracts';
import type { OutputSelection, RunInput, RunRequest } from '@millrace/flow';
import { collectFaults } from '../http/collect-faults';
import { missing } from '../http/fault-items';
import { createValidator, invalidRequest } from '../http/validator';
import { RequestError } from '../http/request-error';
import { failureDetail } from './run-failure-error';

const validate = createValidator(simpleRunBodySchema);

export interface SimpleRunFrame {
  readonly flowId: string;
  /** Reads from the query whether the run is streamed; throws invalid_request. */
  readonly stream: () => boolean;
  /** As Langflow: a flat body with a fault in it counts as none. */
  readonly forgivesFaults: boolean;
  readonly globalVariables: Readonly<Record<string, string>>;
}

/**
 * What the body of `POST /api/v1/run/{flow}` asks for. It comes flat or wrapped as `{"input_request": …}`; no body, or
 * null, asks for the defaults. Throws invalid_request, which tells the faults of the query first.
 */
export function simpleRunRequest(value: unknown, frame: SimpleRunFrame): RunRequest {
  const [stream, body] = collectFaults(frame.stream, () => readBody(value, frame));
  return {
    form: 'simple',
    inputs: inputsOf(body),
    outputs: outputsOf(body),
    tweaks: body.tweaks ?? {},
    stream,
    sessionId: body.session_id || frame.flowId,
    globalVariables: frame.globalVariables,
  };
}

function readBody(value: unknown, { forgivesFaults }: SimpleRunFrame): SimpleRunBody {
  if (value === undefined || value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw invalidRequest(['input_request', 'context'].map((name) => missing(['body', name], null)));
  }
  const { input_request: wrapped, context } = value as Readonly<Record<string, unknown>>;
  const [body] = collectFaults(
    () =>
      wrapped === undefined || wrapped === null ? readFlatBody(value, forgivesFaults) : readWrapped(wrapped),
    () => checkContext(context),
  );
  return body;
}

function readWrapped(value: unknown): SimpleRunBody {
  validate(value, { loc: ['body', 'input_request'] });
  return value as SimpleRunBody;
}

function readFlatBody(value: object, forgivesFaults: boolean): SimpleRunBody {
  try {
    validate(value);
    return value;
  } catch (error) {
    if (forgivesFaults && error instanceof RequestError) return {};
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
  // Langflow fails here, and its clients may count on the status.
  throw new RequestError('output_type_missing', failureDetail('output_type must not be null', 'simple'));
}
