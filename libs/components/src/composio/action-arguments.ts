import { isDict, Message, parsePythonJson } from '@millrace/flow';
import type { PythonObject, PythonValue } from '@millrace/flow';
import { member } from '../http/json-members';
import type { ComposioAction } from './composio-client';

/**
 * An action's arguments out of the fields of a node, which have the names of the arguments, in many files with the
 * action's before them. Empty fields are left out.
 */
export function actionArguments(
  { slug, parameters }: ComposioAction,
  fields: Readonly<Record<string, PythonValue>>,
): PythonObject {
  const properties = member(parameters, 'properties');
  if (!isDict(properties)) return {};
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, schema]) => {
      const given = fields[`${slug}_${name}`] ?? fields[`${slug}-${name}`] ?? fields[name] ?? null;
      const value = typed(given instanceof Message ? given.text : given, member(schema, 'type'));
      return value === null || value === '' ? [] : [[name, value]];
    }),
  );
}

/** Fields hold texts; what an action wants as a number, a list or an object is read from them. */
function typed(value: PythonValue, type: PythonValue): PythonValue {
  if (typeof value !== 'string' || value === '') return value;
  if (type === 'array') return listOf(value);
  if (type === 'object' || type === 'integer' || type === 'number' || type === 'boolean')
    return parsed(value.replace(/^(True|False)$/, (word) => word.toLowerCase()));
  return value;
}

function listOf(text: string): PythonValue {
  const value = parsed(text);
  return Array.isArray(value) ? value : text.split(',').map((part) => part.trim());
}

function parsed(text: string): PythonValue {
  try {
    return parsePythonJson(text);
  } catch {
    return text;
  }
}
