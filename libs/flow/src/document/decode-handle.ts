import type { JsonObject } from './json-object';
import { isJsonObject } from './json-object';

/**
 * Reads a handle that is text: JSON with `œ` for `"` (1.0 and later), or `Type|id|…` in files before 1.0. Returns null
 * for anything else.
 */
export function decodeHandle(text: string, end: 'source' | 'target'): JsonObject | null {
  if (text.includes('œ')) return decodeJson(text.replaceAll('œ', '"'));
  if (text.startsWith('{')) return decodeJson(text);
  if (text.includes('|')) return end === 'source' ? pipeSource(text) : pipeTarget(text);
  return null;
}

function decodeJson(text: string): JsonObject | null {
  try {
    const handle: unknown = JSON.parse(text);
    return isJsonObject(handle) ? handle : null;
  } catch {
    return null;
  }
}

/** `Type|id|BaseClass|BaseClass…`: in this form the output has no name. */
function pipeSource(text: string): JsonObject {
  const [dataType = '', id = '', ...baseClasses] = text.split('|');
  return { dataType, id, baseClasses };
}

/** `Type;Type|field|id`. */
function pipeTarget(text: string): JsonObject {
  const [types = '', fieldName = '', id = ''] = text.split('|');
  return { type: types, inputTypes: types.split(';'), fieldName, id };
}
