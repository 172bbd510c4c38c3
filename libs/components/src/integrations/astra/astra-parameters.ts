import { ComponentError } from '@millrace/flow';
import type { ToolHandle } from '@millrace/flow';
import { str } from '@millrace/python-text';
import type { PythonObject, PythonValue } from '@millrace/python-text';
import { textMember } from '../http/json-members';

/** An argument of a tool and its condition. */
export interface AstraParameter {
  /** The argument's name for a model. */
  readonly name: string;
  /** The name in the database. */
  readonly field: string;
  readonly description: string;
  readonly mandatory: boolean;
  readonly timestamp: boolean;
  /** Such as "$eq". */
  readonly operator: string;
}

/** Reads the rows of a node's table of parameters; `attribute` is the column with the name in the database. */
export function tableParameters(rows: readonly PythonObject[], attribute: string): readonly AstraParameter[] {
  return rows
    .filter((row) => textMember(row, 'name') !== '')
    .map((row) => {
      const name = textMember(row, 'name');
      const field = textMember(row, attribute) || name;
      return {
        name,
        field: isTrue(row['metadata']) ? `metadata.${field}` : field,
        description: textMember(row, 'description'),
        mandatory: isTrue(row['mandatory']),
        timestamp: isTrue(row['is_timestamp']),
        operator: textMember(row, 'operator') || '$eq',
      };
    });
}

/** Reads names with descriptions from nodes of earlier versions; `!` in front of a name makes it mandatory. */
export function namedParameters(names: PythonObject): readonly AstraParameter[] {
  return Object.entries(names).map(([key, description]) => {
    const mandatory = key.startsWith('!');
    const name = mandatory ? key.slice(1) : key;
    const words = typeof description === 'string' ? description : '';
    return { name, field: name, description: words, mandatory, timestamp: false, operator: '$eq' };
  });
}

/** Returns the JSON Schema of a tool with these arguments. */
export function parametersSchema(
  parameters: readonly Pick<AstraParameter, 'name' | 'description' | 'mandatory'>[],
): ToolHandle['parameters'] {
  return {
    type: 'object',
    properties: Object.fromEntries(
      parameters.map(({ name, description }) => [name, { type: 'string', description: description || name }]),
    ),
    required: parameters.filter(({ mandatory }) => mandatory).map(({ name }) => name),
  };
}

/** Returns the conditions for a call's arguments, keyed by field; missing arguments make none. */
export function conditions(
  parameters: readonly AstraParameter[],
  callArguments: PythonObject,
  moment: (text: string) => PythonValue,
): PythonObject {
  const made: Record<string, PythonObject> = {};
  for (const { name, field, operator, timestamp } of parameters) {
    const value = Object.hasOwn(callArguments, name) ? (callArguments[name] ?? null) : null;
    if (value === null) continue;
    made[field] = { ...made[field], [operator]: operand(operator, timestamp ? moment(str(value)) : value) };
  }
  return made;
}

/** Parses a time as milliseconds since the epoch; without a time zone it is UTC. */
export function parseTime(text: string): number {
  const dayFirst = /^(\d{2})\/(\d{2})\/(\d{4})$/.exec(text);
  const normalized =
    dayFirst === null ? text.replaceAll('/', '-').replace(' ', 'T') : dayFirst.slice(1).reverse().join('-');
  const zoned = /^[^T]*T.*(Z|[+-]\d{2}:?\d{2})$|^\d{4}-\d{2}-\d{2}$/.test(normalized)
    ? normalized
    : `${normalized}Z`;
  const moment = Date.parse(zoned.replace(/([+-]\d{2})(\d{2})$/, zoned.includes('T') ? '$1:$2' : '$1$2'));
  if (!Number.isNaN(moment)) return moment;
  throw new ComponentError(
    `Error parsing timestamp: Could not parse date: ${text} - Use the prompt to specify the date in the correct format`,
  );
}

function operand(operator: string, value: PythonValue): PythonValue {
  if (operator === '$exists') return true;
  if (!['$in', '$nin', '$all'].includes(operator) || typeof value !== 'string') return value;
  return value.split(',');
}

/** Tables contain switches as booleans or as texts. */
function isTrue(value: PythonValue | undefined): boolean {
  return value === true || (typeof value === 'string' && value.toLowerCase() === 'true');
}
