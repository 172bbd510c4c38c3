import type { PythonValue } from '../values/python-value';
import { escapeRawControls } from './escape-raw-controls';
import { parsePythonJson } from './parse-json';
import { PythonJsonError } from './python-json-error';

/**
 * Parses JSON whose strings can contain raw line breaks and other control characters. Undefined for a text that is no
 * JSON. Valid JSON is read once: the escapes are looked for only when it cannot be read.
 */
export function parseLenientJson(text: string): PythonValue | undefined {
  const value = parsed(text);
  if (value !== undefined) return value;
  const escaped = escapeRawControls(text);
  return escaped === text ? undefined : parsed(escaped);
}

function parsed(text: string): PythonValue | undefined {
  try {
    return parsePythonJson(text);
  } catch (error) {
    if (error instanceof PythonJsonError) return undefined;
    throw error;
  }
}
