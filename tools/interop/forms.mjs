// The forms of request that start a run. Each is a function that throws when the answer is wrong.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * @typedef {{ readonly status: number, readonly text: string }} CallAnswer
 * @typedef {(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>) => Promise<CallAnswer>} Call
 *
 * @typedef {object} InteropClient
 * @property {Call} call
 * @property {Readonly<Record<string, string>>} endpoint of the flows `echo` and `chat`
 * @property {Readonly<Record<string, string>>} flowId
 */

const ENDS_WITHIN_MILLISECONDS = 20_000;
const TOKENS = 20;

/**
 * `client` is { call(method, path, body, headers), endpoint: { echo, chat }, flowId: { echo } }.
 * @type {Readonly<Record<string, (client: InteropClient) => Promise<void>>>}
 */
export const forms = {
  async run({ call, endpoint }) {
    const answer = await call('POST', `/api/v1/run/${endpoint.echo}`, { input_value: 'hello' });
    expect(answer, 200, '"text":"hello"');
  },
  async advanced({ call, endpoint }) {
    const inputs = [{ components: [], input_value: 'hello' }];
    const answer = await call('POST', `/api/v1/run/advanced/${endpoint.echo}`, {
      inputs,
      outputs: [],
      stream: false,
    });
    expect(answer, 200, 'hello');
  },
  async tweaked({ call, endpoint }) {
    const body = { input_value: 'hello', tweaks: { 'Chat Output': { sender_name: 'Tweaked' } } };
    expect(await call('POST', `/api/v1/run/${endpoint.echo}`, body), 200, '"sender_name":"Tweaked"');
  },
  async 'variables in headers'({ call, endpoint }) {
    const headers = { 'x-langflow-global-var-name': 'of the caller' };
    const answer = await call('POST', `/api/v1/run/${endpoint.echo}`, { input_value: 'hello' }, headers);
    expect(answer, 200, '"text":"hello"');
  },
  async stream({ call, endpoint }) {
    const input_value = `[[tokens=${TOKENS}]]`;
    const answer = await call('POST', `/api/v1/run/${endpoint.chat}?stream=true`, { input_value });
    expect(answer, 200, '"event": "end"');
    const tokens = answer.text.split('"event": "token"').length - 1;
    if (tokens !== TOKENS) throw new Error(`received ${tokens} tokens instead of ${TOKENS}`);
  },
  async 'model fails'({ call, endpoint }) {
    const answer = await call('POST', `/api/v1/run/${endpoint.chat}`, { input_value: '[[status=400]]' });
    expect(answer, 500, 'detail');
  },
  async keyed({ call, endpoint }) {
    const headers = { 'idempotency-key': randomUUID() };
    const ask = () => call('POST', `/api/v1/run/${endpoint.echo}`, { input_value: 'once' }, headers);
    const [first, again] = [await ask(), await ask()];
    expect(first, 200, '"text":"once"');
    if (first.text !== again.text) throw new Error('the same key got two different answers');
  },
  async respondAsync({ call, endpoint }) {
    const body = { input_value: 'later' };
    const answer = await call('POST', `/api/v1/run/${endpoint.echo}`, body, { prefer: 'respond-async' });
    expect(answer, 202, 'run_id');
    await ended(call, JSON.parse(answer.text).run_id, 'succeeded');
  },
  async webhook({ call, endpoint }) {
    const answer = await call('POST', `/api/v1/webhook/${endpoint.echo}`, { some: 'thing' });
    expect(answer, 202, 'run_id');
    await ended(call, JSON.parse(answer.text).run_id, 'succeeded');
  },
  async cancel({ call, endpoint }) {
    const body = { input_value: '[[delay=30000]]' };
    const answer = await call('POST', `/api/v1/run/${endpoint.chat}`, body, { prefer: 'respond-async' });
    const { run_id: runId } = JSON.parse(answer.text);
    await ended(call, runId, 'running');
    expect(await call('POST', `/api/v1/runs/${runId}/cancel`), 202, runId);
    await ended(call, runId, 'cancelled');
  },
  async 'v2, whole'({ call, flowId }) {
    const body = { flow_id: flowId.echo, input_value: 'hello' };
    const answer = await call('POST', '/api/v2/workflows', body);
    expect(answer, 200, '"completed"');
  },
  async 'v2, background'({ call, flowId }) {
    const body = { flow_id: flowId.echo, input_value: 'hello', mode: 'background' };
    const answer = await call('POST', '/api/v2/workflows', body);
    expect(answer, 200, 'job_id');
    await ended(call, JSON.parse(answer.text).job_id, 'succeeded');
  },
  async responses({ call, endpoint }) {
    const answer = await call('POST', '/api/v1/responses', { model: endpoint.echo, input: 'hello' });
    expect(answer, 200, 'hello');
  },
  async 'a changed flow'({ call, flowId, endpoint }) {
    const description = randomUUID();
    expect(await call('PATCH', `/api/v1/flows/${flowId.echo}`, { description }), 200, description);
    expect(
      await call('POST', `/api/v1/run/${endpoint.echo}`, { input_value: 'still' }),
      200,
      '"text":"still"',
    );
  },
};

/**
 * @param {CallAnswer} answer
 * @param {number} wanted
 * @param {string} part
 */
function expect({ status, text }, wanted, part) {
  if (status !== wanted || !text.includes(part))
    throw new Error(`${status} instead of ${wanted} with ${part}: ${text.slice(0, 300)}`);
}

/**
 * Resolves when a run has this status; rejects when the run ends with another one, or too late.
 * @param {Call} call
 * @param {string} runId
 * @param {string} wanted
 */
async function ended(call, runId, wanted) {
  const end = Date.now() + ENDS_WITHIN_MILLISECONDS;
  for (;;) {
    const { text } = await call('GET', `/api/v1/runs/${runId}`);
    const { status } = JSON.parse(text);
    if (status === wanted) return;
    const isOpen = ['accepted', 'queued', 'running'].includes(status);
    if (!isOpen || Date.now() > end) throw new Error(`run ${runId} is ${status}, not ${wanted}`);
    await pause(50);
  }
}
