import { waitUntil } from '../../libs/testing/src/index.cjs';

/** @import { FlowDocument } from './table.mjs' */

/**
 * @typedef {{ readonly name: string, readonly content: Buffer }} UploadedFile
 * @typedef {{ readonly component_id: string, readonly results?: unknown, readonly outputs?: unknown }} VertexOutput
 *
 * @typedef {object} RunAnswer The answer of a run, or the record of a webhook's run.
 * @property {readonly { readonly outputs: readonly VertexOutput[] }[]} [outputs]
 * @property {string} [status]
 * @property {string} [state]
 * @property {{ readonly message?: string }} [error]
 *
 * @typedef {ReturnType<typeof createClient>} Client
 */

const RUN_WITHIN_MILLISECONDS = 60_000;
const ENDED = new Set(['succeeded', 'failed', 'cancelled']);

/**
 * A client of the system under test, with the calls that the table needs. Error answers reject with their text.
 * @param {{ readonly url: string, readonly key: string }} system
 */
export function createClient({ url, key }) {
  /**
   * @param {string} method
   * @param {string} path
   * @param {string | FormData} [body]
   * @param {Readonly<Record<string, string>>} [headers]
   */
  const send = async (method, path, body, headers = {}) => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { 'x-api-key': key, ...headers },
      body,
      signal: AbortSignal.timeout(RUN_WITHIN_MILLISECONDS),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(reasonOf(text) ?? `${method} ${path} answered ${answer.status}`);
    return JSON.parse(text);
  };
  /**
   * @param {string} path
   * @param {unknown} body
   */
  const post = (path, body) =>
    send('POST', path, JSON.stringify(body), { 'content-type': 'application/json' });
  return {
    /** @type {(name: string, document: FlowDocument) => Promise<{ readonly id: string }>} */
    file: (name, document) => post('/api/v1/flows/', { name, data: document.data ?? document }),
    /** @type {(id: string, vertices: readonly string[]) => Promise<unknown>} */
    accept: (id, vertices) => post(`/api/v1/flows/${id}/accepted-code`, { vertices }),
    /** @type {(id: string) => Promise<{ readonly data: FlowDocument }>} */
    read: (id) => send('GET', `/api/v1/flows/${id}`),
    /** @type {(id: string) => Promise<unknown>} */
    remove: (id) => send('DELETE', `/api/v1/flows/${id}`),
    /** @type {(name: string, value: string) => Promise<unknown>} */
    setVariable: (name, value) =>
      post('/api/v1/variables/', { name, value, type: 'Credential' }).catch(() => undefined),
    /** @type {(name: string, config: object) => Promise<unknown>} */
    setMcpServer: (name, config) =>
      post(`/api/v2/mcp/servers/${encodeURIComponent(name)}`, config).catch(() => undefined),
    /**
     * @param {string} flowId
     * @param {UploadedFile} file
     * @returns {Promise<string>} its path
     */
    async upload(flowId, { name, content }) {
      const form = new FormData();
      form.append('file', new Blob([new Uint8Array(content)]), name);
      return (await send('POST', `/api/v1/files/upload/${flowId}`, form)).file_path;
    },
    /** @type {(id: string, body: object) => Promise<RunAnswer>} */
    run: (id, body) => post(`/api/v1/run/${id}?stream=false`, body),
    /**
     * Sends a webhook; resolves to the record of the run when it has ended.
     * @param {string} id
     * @param {unknown} body
     * @returns {Promise<RunAnswer>}
     */
    async webhook(id, body) {
      const { run_id } = await post(`/api/v1/webhook/${id}`, body);
      return waitUntil(
        async () => {
          const run = await send('GET', `/api/v1/runs/${run_id}`);
          if (!ENDED.has(run.status ?? run.state))
            throw new Error('the run of a webhook did not end in time');
          return run;
        },
        { deadlineMilliseconds: RUN_WITHIN_MILLISECONDS },
      );
    },
  };
}

/**
 * @param {string} text
 * @returns {string | undefined}
 */
function reasonOf(text) {
  try {
    const { detail } = JSON.parse(text);
    const reason = typeof detail === 'string' ? detail : JSON.stringify(detail);
    return reason.startsWith('{') ? (JSON.parse(reason).message ?? reason) : reason;
  } catch {
    return undefined;
  }
}
