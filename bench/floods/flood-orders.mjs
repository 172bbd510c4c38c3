/** @import { BenchSystem } from '../bench-environment.mjs' */
/** @import { FloodOrder, FloodRequest } from './flood.cjs' */
/** @import { Tenant } from './measure-floods.mjs' */

const CONNECTIONS = 64;
const FILE_BYTES = 262_144;
/** Each is received as a whole by the gateway before it is stored, and the flood has a part of a CPU. */
const UPLOADS = 16;

/**
 * Returns the requests with which a tenant floods a system in a form.
 * @param {BenchSystem} system
 * @param {Tenant} tenant
 * @param {string} form
 * @returns {Promise<Omit<FloodOrder, 'seconds'>>}
 */
export async function floodOrders({ url, ingestPort }, { headers, endpoint }, form) {
  const json = { ...headers, 'content-type': 'application/json' };
  /** @type {(path: string, body: string, more?: Partial<FloodRequest>) => FloodRequest} */
  const post = (path, body, more = {}) => ({ url: url + path, method: 'POST', headers: json, body, ...more });
  const input = JSON.stringify({ input_value: 'x'.repeat(1_000) });
  switch (form) {
    case 'sync':
      return { requests: [post(`/api/v1/run/${endpoint}`, input)], connections: CONNECTIONS };
    case 'stream':
      return { requests: [post(`/api/v1/run/${endpoint}?stream=true`, input)], connections: CONNECTIONS };
    case 'webhook': {
      const hook = `http://127.0.0.1:${ingestPort}/api/v1/webhook/${endpoint}`;
      return { requests: [post('', input, { url: hook })], connections: CONNECTIONS };
    }
    case 'files': {
      const body = [
        '--flood\r\nContent-Disposition: form-data; name="file"; filename="flood.bin"\r\n\r\n',
        `${'x'.repeat(FILE_BYTES)}\r\n--flood--\r\n`,
      ].join('');
      const type = { ...headers, 'content-type': 'multipart/form-data; boundary=flood' };
      return { requests: [post('/api/v2/files', body, { headers: type })], connections: UPLOADS };
    }
    case 'bad-keys':
      return {
        requests: [post(`/api/v1/run/${endpoint}`, input)],
        connections: CONNECTIONS,
        hasBadKeys: true,
      };
    default:
      return { requests: await consoleRequests(url, headers), connections: CONNECTIONS };
  }
}

/**
 * What pages of the console read, with a session.
 * @param {string} url
 * @param {Readonly<Record<string, string>>} headers
 * @returns {Promise<readonly FloodRequest[]>}
 */
async function consoleRequests(url, headers) {
  const console = { 'x-millrace-console': '1' };
  const answer = await fetch(`${url}/api/v1/console/session`, {
    method: 'POST',
    headers: { ...console, 'content-type': 'application/json' },
    body: JSON.stringify({ api_key: headers['x-api-key'] }),
  });
  const [cookie] = answer.headers.getSetCookie();
  if (!answer.ok || cookie === undefined) throw new Error(`signing in was answered with ${answer.status}`);
  const session = { ...console, cookie: cookie.slice(0, cookie.indexOf(';')) };
  return [
    '/api/v1/runs?limit=50',
    '/api/v1/runs/history',
    '/api/v1/flows/',
    '/api/v1/usage',
    '/api/v1/pending',
  ].map((path) => ({ url: url + path, method: 'GET', headers: session }));
}
