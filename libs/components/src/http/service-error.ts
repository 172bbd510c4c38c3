import { ComponentError, isDict, parsePythonJson } from '@millrace/flow';
import type { PythonValue } from '@millrace/flow';
import { decodeText } from './decode-text';
import type { HttpAnswer } from './http-call';

const mostCharacters = 300;

/**
 * What an answer with a status that is no success is told as: service, status and the service's own words, from which
 * secrets are taken out.
 */
export function serviceError(
  service: string,
  answer: HttpAnswer,
  secrets: readonly string[] = [],
): ComponentError {
  const said = oneLine(withoutSecrets(wordsOf(answer), secrets));
  const status = [String(answer.status), answer.statusText].filter((part) => part !== '').join(' ');
  return new ComponentError(`${service} answered with status ${status}${said === '' ? '.' : `: ${said}`}`);
}

/** The same text with every secret blackened. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret !== '')
    .reduce((rest, secret) => rest.replaceAll(secret, '***'), text);
}

function wordsOf(answer: HttpAnswer): string {
  const text = decodeText(answer);
  try {
    return wordsIn(parsePythonJson(text)) ?? '';
  } catch {
    return answer.headers.get('content-type')?.startsWith('text/plain') ? text : '';
  }
}

/** Services put their words under one of a few names, often one inside the other. */
function wordsIn(value: PythonValue): string | null {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return wordsIn((value as readonly PythonValue[])[0] ?? null);
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
    'status',
  ]) {
    const words = wordsIn(value[name] ?? null);
    if (words !== null) return words;
  }
  const [only = null, ...others] = Object.values(value);
  return others.length === 0 && isDict(only) ? wordsIn(only) : null;
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > mostCharacters ? `${line.slice(0, mostCharacters)}…` : line;
}
