import { URLSearchParams } from 'node:url';
import { codeOf } from '../../tools/workspace/error-fields.mjs';

/** @import { Installation } from '../installation.mjs' */
/** @import { Random } from '../random.mjs' */

const DEADLINE_MILLISECONDS = 10_000;

/**
 * Calls one of the ready gateways, with JSON and a key or with a form; the status is 0 when no answer arrives.
 * @param {Pick<Installation, 'ready' | 'secrets'>} installation
 * @param {Random} random
 * @param {'GET' | 'POST'} method
 * @param {string} path
 * @param {object | URLSearchParams} [content]
 */
export async function callGateway({ ready, secrets }, random, method, path, content) {
  const isForm = content instanceof URLSearchParams;
  try {
    const response = await fetch(`${random.pick(ready.gateways.urls)}${path}`, {
      method,
      // A decision link alone is the right to answer.
      headers: isForm
        ? { 'content-type': 'application/x-www-form-urlencoded' }
        : { 'x-api-key': secrets.apiKey, 'content-type': 'application/json' },
      ...(content && { body: isForm ? content.toString() : JSON.stringify(content) }),
      signal: AbortSignal.timeout(DEADLINE_MILLISECONDS),
    });
    return { status: response.status, body: await response.text() };
  } catch (error) {
    return { status: 0, body: String(codeOf(error)) };
  }
}
