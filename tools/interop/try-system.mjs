import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '../workspace-root.mjs';
import { forms } from './forms.mjs';

const WAIT_TIMEOUT_MILLISECONDS = 60_000;
const PARALLEL_CALLS = 4;

/** Sends every form of request `times` times to a system; resolves to error messages by name of the form. */
export async function tryForms(system, times) {
  const client = await openClient(system);
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

async function openClient({ url, key }) {
  const call = async (method, path, body, headers = {}) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { 'x-api-key': key, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(WAIT_TIMEOUT_MILLISECONDS),
    });
    return { status: response.status, text: await response.text() };
  };
  const endpoint = {};
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
