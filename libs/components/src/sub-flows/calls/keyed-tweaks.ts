import type { Tweaks } from '@millrace/flow';
import { Data, Message } from '@millrace/python-text';
import type { PythonObject, PythonValue } from '@millrace/python-text';

/** Returns the tweaks for fields named `<vertex id><separator><field>`. */
export function keyedTweaks(fields: PythonObject, separator: string): Tweaks {
  return keyedFields(fields, separator);
}

/** Returns the values of fields named `<vertex id><separator><field>`, by vertex id. */
export function keyedFields(
  fields: PythonObject,
  separator: string,
): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
  const tweaks = new Map<string, Record<string, unknown>>();
  for (const [key, value] of Object.entries(fields)) {
    const at = key.indexOf(separator);
    if (at <= 0) continue;
    const vertexId = key.slice(0, at);
    const field = key.slice(at + separator.length);
    const vertex = tweaks.get(vertexId) ?? {};
    vertex[field] = tweakValue(field, value);
    tweaks.set(vertexId, vertex);
  }
  return Object.fromEntries(tweaks);
}

/** Of a message the text is used, and also of data when a text is expected. */
function tweakValue(field: string, value: PythonValue): unknown {
  if (value instanceof Message) return value.text;
  if (!(value instanceof Data)) return value;
  return field === 'input_value' ? (value.text ?? '') : { value };
}
