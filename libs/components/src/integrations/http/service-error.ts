import { ComponentError } from '@millrace/flow';
import { parsePythonJson } from '@millrace/python-text';
import { decodeText } from './decode-text';
import { bodyExcerpt, errorTextIn } from './error-text';
import type { HttpAnswer } from './http-call';
import { isTransientStatus } from './transient-status';

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
    undefined,
    { permanent: !isTransientStatus(answer.status) },
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
    return errorTextIn(parsePythonJson(text)) ?? '';
  } catch {
    return bodyExcerpt(text);
  }
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > maximumCharacters ? `${line.slice(0, maximumCharacters)}…` : line;
}
