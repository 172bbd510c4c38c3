import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '../workspace/workspace-root.mjs';
import { forms } from './forms.mjs';

/** @import { Call, InteropClient } from './forms.mjs' */

const WAIT_TIMEOUT_MILLISECONDS = 60_000;
const PARALLEL_CALLS = 4;

/**
 * Sends every form of request `times` times to a system; resolves to error messages by name of the form.
 * @param {{ readonly url: string, readonly key: string }} system
 * @param {number} times
 */
export async function tryForms(system, times) {
  const client = await openClient(system);
  /** @type {Record<string, string[]>} */
  const faults = {};
  for (const [name, form] of Object.entries(forms)) {
    faults[name] = [];
    for (let done = 0; done < times; done += PARALLEL_CALLS)
      await Promise.all(
        Array.from({ length: Math.min(PARALLEL_CALLS, times - done) }, () =>
          form(client).catch((error) => faults[name].push(error.message)),
        ),
      );
  }
  return faults;
}

/**
 * @param {{ readonly url: string, readonly key: string }} system
 * @returns {Promise<InteropClient>}
 */
async function openClient({ url, key }) {
  /** @type {Call} */
  const call = async (method, path, body, headers = {}) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { 'x-api-key': key, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(WAIT_TIMEOUT_MILLISECONDS),
    });
    return { status: response.status, text: await response.text() };
  };
  /** @type {Record<string, string>} */
  const endpoint = {};
  /** @type {Record<string, string>} */
  const flowId = {};
  for (const name of ['echo', 'chat']) {
    const flow = JSON.parse(readFileSync(join(workspaceRoot, 'examples', `${name}.json`), 'utf8'));
    const { status, text } = await call('POST', '/api/v1/flows/', {
      ...flow,
      endpoint_name: `interop-${name}`,
    });
    if (status !== 201) throw new Error(`uploading the flow returned ${status}: ${text}`);
    endpoint[name] = `interop-${name}`;
    flowId[name] = JSON.parse(text).id;
  }
  return { call, endpoint, flowId };
}
