import { isDict } from '@millrace/flow';
import { Message, parsePythonJson } from '@millrace/python-text';
import type { PythonObject, PythonValue } from '@millrace/python-text';
import { member } from '../http/json-members';
import type { ComposioAction } from './composio-client';

/**
 * Returns an action's arguments from the fields of a node. A field has the name of its argument, in many files prefixed
 * with the name of the action. Empty fields are omitted.
 */
export function actionArguments(
  { slug, parameters }: ComposioAction,
  fields: Readonly<Record<string, PythonValue>>,
): PythonObject {
  const properties = member(parameters, 'properties');
  if (!isDict(properties)) return {};
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, schema]) => {
      const fieldValue = fields[`${slug}_${name}`] ?? fields[`${slug}-${name}`] ?? fields[name] ?? null;
      const value = typed(
        fieldValue instanceof Message ? fieldValue.text : fieldValue,
        member(schema, 'type'),
      );
      return value === null || value === '' ? [] : [[name, value]];
    }),
  );
}

/** Converts the text of a field to the type that the action expects. */
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
