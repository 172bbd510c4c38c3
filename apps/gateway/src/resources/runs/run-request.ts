import type { FlowSettings, OutputSelection, RunInput, RunRequest } from '@millrace/flow';
import { HttpError } from '@millrace/http';
import { uuidv7 } from '@millrace/service';
import { sessionOr } from '../../end-users/end-user-sessions';
import type { EndUser, RunSession } from '../../end-users/end-user-sessions';
import { advancedRunMembers, advancedRunBodySchema } from './advanced-run-body';
import type { AdvancedRunBody, RunInputBody } from './advanced-run-body';
import { simpleRunFields } from '../../http/bodies/parse-body';
import type { ValidationItem } from '../../http/validation/validation-item';
import { typeItem } from '../../http/validation/type-items';
import { extra, MAXIMUM_ITEMS, missing } from '../../http/validation/validation-items';
import { invalidRequest, collectValidationErrors, createValidator } from '../../http/validation/validator';
import { isRecord } from '../../http/bodies/parse-json';
import { simpleRunBodySchema } from './simple-run-body';
import type { SimpleRunBody } from './simple-run-body';
import { failureDetail } from '../../run-answers/run-failure-error';
import { flagValue } from '../../http/validation/flag';

/** The form of a run body: flat members of one input, or lists of inputs and outputs. */
export type RunForm = 'simple' | 'advanced';

const WRAPPED = ['body', 'input_request'];
const SIMPLE_MEMBERS: ReadonlySet<string> = new Set([...simpleRunFields, 'tweaks']);
const MEMBERS: ReadonlySet<string> = new Set([
  ...SIMPLE_MEMBERS,
  ...advancedRunMembers,
  'input_request',
  'context',
]);

/**
 * Returns the form of a body of `POST /api/v1/run/{flow}`, where a list of inputs is the advanced form. Langflow ignores the
 * list and runs with an empty input. Throws invalid_request for other `inputs`, and for inputs of both forms.
 */
export function formByInputs(value: unknown): RunForm {
  if (!isRecord(value)) return 'simple';
  const { inputs, input_value: inputValue, input_request: wrapped } = value;
  const items: ValidationItem[] = [];
  if (isRecord(wrapped) && 'inputs' in wrapped) items.push(extra([...WRAPPED, 'inputs'], wrapped['inputs']));
  if ('inputs' in value) {
    if (!Array.isArray(inputs)) items.push(typeItem({ type: 'array' }, ['body', 'inputs'], inputs));
    if (typeof inputValue === 'string' && inputValue !== '')
      items.push(extra(['body', 'input_value'], inputValue));
    if (isRecord(wrapped)) items.push(extra(WRAPPED, wrapped));
  }
  if (items.length > 0) throw invalidRequest(items);
  return 'inputs' in value ? 'advanced' : 'simple';
}

/**
 * Returns the form of a body of `POST /run/{flow_id}`: lists of inputs or outputs are the advanced form. Throws
 * invalid_request for members that neither form has.
 */
export function formOfKnownMembers(value: unknown): RunForm {
  if (!isRecord(value)) return 'simple';
  const unknown = [
    ...unknownItems(value, MEMBERS, ['body']),
    ...unknownItems(value['input_request'], SIMPLE_MEMBERS, WRAPPED),
  ];
  if (unknown.length > 0) throw invalidRequest(unknown.slice(0, MAXIMUM_ITEMS));
  return 'inputs' in value || 'outputs' in value ? 'advanced' : 'simple';
}

function unknownItems(
  value: unknown,
  known: ReadonlySet<string>,
  loc: readonly string[],
): readonly ValidationItem[] {
  if (!isRecord(value)) return [];
  return Object.entries(value)
    .filter(([name]) => !known.has(name))
    .map(([name, member]) => extra([...loc, name], member));
}

/** Returns the session that the caller named, or what the flow gives to callers that name none; of an end user, one of theirs. */
export function sessionOf(
  named: string | null | undefined,
  { flowId, sessions = 'shared', endUser }: Pick<RunRequestContext, 'flowId' | 'sessions' | 'endUser'>,
): RunSession {
  if (!named && endUser === null && sessions === 'own') return { sessionId: uuidv7(), isOwnSession: true };
  return sessionOr(flowId, endUser, named);
}

export interface RunRequestContext {
  readonly flowId: string;
  /** See FlowSettings. */
  readonly sessions?: FlowSettings['sessions'];
  readonly endUser: EndUser;
  readonly globalVariables: Readonly<Record<string, string>>;
  /** Reads from the query whether the run is streamed; throws invalid_request. */
  readonly stream: () => boolean;
  /**
   * Reproduces Langflow: an invalid flat body counts as no body, `"stream": true` of the advanced form does not stream, and a
   * given session id is never found there.
   */
  readonly isStrict: boolean;
}

const validateSimple = createValidator(simpleRunBodySchema);
const validateAdvanced = createValidator(advancedRunBodySchema);

/** Returns the request of a run from a body of this form. Throws invalid_request and not_found. */
export function runRequest(form: RunForm, value: unknown, context: RunRequestContext): RunRequest {
  return form === 'simple' ? simpleRunRequest(value, context) : advancedRunRequest(value, context);
}

/**
 * Parses the body of `POST /api/v1/run/{flow}`, which is flat or wrapped as `{"input_request": …}`. No body
 * gives the defaults. Throws invalid_request, which lists the errors of the query first.
 */
function simpleRunRequest(value: unknown, context: RunRequestContext): RunRequest {
  const [stream, body] = collectValidationErrors(context.stream, () => readSimpleBody(value, context));
  return {
    form: 'simple',
    inputs: inputsOf(body),
    outputs: outputsOf(body),
    tweaks: body.tweaks ?? {},
    stream,
    ...sessionOf(body.session_id, context),
    globalVariables: context.globalVariables,
  };
}

function readSimpleBody(value: unknown, { isStrict }: RunRequestContext): SimpleRunBody {
  if (value === undefined) return {};
  if (!isRecord(value))
    throw invalidRequest(['input_request', 'context'].map((name) => missing(['body', name], null)));
  const { input_request: wrapped, context } = value;
  const [body] = collectValidationErrors(
    () => (wrapped === undefined || wrapped === null ? readFlatBody(value, isStrict) : readWrapped(wrapped)),
    () => checkContext(context),
  );
  return body;
}

function readWrapped(value: unknown): SimpleRunBody {
  validateSimple(value, { loc: ['body', 'input_request'] });
  return value as SimpleRunBody;
}

function readFlatBody(value: object, isStrict: boolean): SimpleRunBody {
  try {
    validateSimple(value);
    return value;
  } catch (error) {
    if (isStrict && error instanceof HttpError) return {};
    throw error;
  }
}

function checkContext(context: unknown): void {
  if (context === undefined || context === null || isRecord(context)) return;
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

/** Parses the body of `POST /api/v1/run/advanced/{flow}`. Throws invalid_request and not_found. */
function advancedRunRequest(value: unknown, context: RunRequestContext): RunRequest {
  const [stream, body] = collectValidationErrors(context.stream, () => readAdvancedBody(value));
  if (context.isStrict && body.session_id)
    throw new HttpError('not_found', `Session ${body.session_id} not found`);
  return {
    form: 'advanced',
    inputs: (body.inputs ?? [{}]).map(runInputOf),
    outputs: { by: 'list', outputs: body.outputs ?? [] },
    tweaks: body.tweaks ?? {},
    stream: !context.isStrict && (stream || flagValue(body.stream)),
    ...sessionOf(body.session_id, context),
    globalVariables: context.globalVariables,
  };
}

function readAdvancedBody(value: unknown): AdvancedRunBody {
  if (value === undefined) return {};
  if (!isRecord(value)) throw invalidRequest(advancedRunMembers.map((name) => missing(['body', name], null)));
  validateAdvanced(value);
  return value;
}

/** Returns an input from its member of a body. */
export function runInputOf({ components, input_value: inputValue, type }: RunInputBody): RunInput {
  return { components: components ?? [], inputValue: inputValue ?? '', type: type ?? 'any' };
}
