import { advancedRunMembers } from './advanced-run-body';
import { simpleRunFields } from '../../http/bodies/run-body';
import type { ValidationItem } from '../../http/validation/validation-item';
import { typeItem } from '../../http/validation/type-items';
import { extra, MAXIMUM_ITEMS } from '../../http/validation/validation-items';
import { invalidRequest } from '../../http/validation/validator';
import { isRecord } from '../flows/is-record';

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
