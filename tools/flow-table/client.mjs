import { waitUntil } from '../services/wait-until.mjs';

const RUN_WITHIN_MILLISECONDS = 60_000;
const ENDED = new Set(['succeeded', 'failed', 'cancelled']);

/** A client of the system under test, with the calls that the table needs. Error answers reject with their text. */
export function createClient({ url, key }) {
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
  const post = (path, body) =>
    send('POST', path, JSON.stringify(body), { 'content-type': 'application/json' });
  return {
    file: (name, document) => post('/api/v1/flows/', { name, data: document.data ?? document }),
    accept: (id, vertices) => post(`/api/v1/flows/${id}/accepted-code`, { vertices }),
    read: (id) => send('GET', `/api/v1/flows/${id}`),
    remove: (id) => send('DELETE', `/api/v1/flows/${id}`),
    setVariable: (name, value) =>
      post('/api/v1/variables/', { name, value, type: 'Credential' }).catch(() => undefined),
    setMcpServer: (name, config) =>
      post(`/api/v2/mcp/servers/${encodeURIComponent(name)}`, config).catch(() => undefined),
    async upload(flowId, { name, content }) {
      const form = new FormData();
      form.append('file', new Blob([content]), name);
      return (await send('POST', `/api/v1/files/upload/${flowId}`, form)).file_path;
    },
    run: (id, body) => post(`/api/v1/run/${id}?stream=false`, body),
    /** Sends a webhook; resolves to the record of the run when it has ended. */
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

function reasonOf(text) {
  try {
    const { detail } = JSON.parse(text);
    const reason = typeof detail === 'string' ? detail : JSON.stringify(detail);
    return reason.startsWith('{') ? (JSON.parse(reason).message ?? reason) : reason;
  } catch {
    return undefined;
  }
}
