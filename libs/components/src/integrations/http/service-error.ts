import { ComponentError, isDict } from '@millrace/flow';
import { parsePythonJson } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';
import { decodeText } from './decode-text';
import type { HttpAnswer } from './http-call';

const maximumCharacters = 300;

/**
 * Returns the error for an answer without a success status: service, status and the service's error text, with secrets
 * removed.
 */
export function serviceError(
  service: string,
  answer: HttpAnswer,
  secrets: readonly string[] = [],
): ComponentError {
  const errorText = oneLine(withoutSecrets(errorTextOf(answer), secrets));
  const status = [String(answer.status), answer.statusText].filter((part) => part !== '').join(' ');
  return new ComponentError(
    `${service} answered with status ${status}${errorText === '' ? '.' : `: ${errorText}`}`,
  );
}

/** Replaces every secret in a text with `***`. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret !== '')
    .reduce((rest, secret) => rest.replaceAll(secret, '***'), text);
}

function errorTextOf(answer: HttpAnswer): string {
  const text = decodeText(answer);
  try {
    return findErrorText(parsePythonJson(text)) ?? '';
  } catch {
    return answer.headers.get('content-type')?.startsWith('text/plain') ? text : '';
  }
}

/** Finds the error text under one of the common member names, which can be nested. */
function findErrorText(value: PythonValue): string | null {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return findErrorText((value as readonly PythonValue[])[0] ?? null);
  if (!isDict(value)) return null;
  for (const name of [
    'message',
    'error',
    'detail',
    'error_message',
    'errorMessage',
    'errors',
    'msg',
    'description',
    'reason',
    'status',
  ]) {
    const found = findErrorText(value[name] ?? null);
    if (found !== null) return found;
  }
  const [only = null, ...others] = Object.values(value);
  return others.length === 0 && isDict(only) ? findErrorText(only) : null;
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > maximumCharacters ? `${line.slice(0, maximumCharacters)}…` : line;
}
