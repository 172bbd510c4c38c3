import { flowData, node } from '@millrace/testing';
import { pythonExecutor, until } from './python-executors.fixture';
import { startPythonSystem } from './python-system.fixture';
import type { PythonSystem } from './python-system.fixture';

let opened: PythonSystem;
let system: PythonSystem['system'];
let sink: PythonSystem['sink'];

beforeAll(async () => {
  opened = await startPythonSystem();
  ({ system, sink } = opened);
}, 120_000);

afterAll(() => opened?.stop(), 60_000);

/** A component in Python, a script and a request ask for consent; a second branch with another of each ends before. */
function askingData() {
  const script = { type: 'code', value: 'const main = (value) => JSON.stringify(value) + Math.random();' };
  return flowData(
    [
      sink.caller('CallOne-a', 'run/a/first'),
      node('JavaScriptFunction-b', { input_value: '', script }, 'message'),
      node('HumanInput-h', { prompt: '' }, 'branch_approve', 'branch_reject'),
      node('ChatOutput-z', { input_value: '' }, 'message'),
      node('APIRequest-c', { url_input: `${sink.url}/run/c/read`, method: 'GET' }, 'data'),
      node('JavaScriptFunction-d', { input_value: '', script }, 'message'),
      node('ChatOutput-y', { input_value: '' }, 'message'),
    ],
    [
      'CallOne-a.result > JavaScriptFunction-b.input_value',
      'JavaScriptFunction-b.message > HumanInput-h.prompt',
      'HumanInput-h.branch_approve > ChatOutput-z.input_value',
      'APIRequest-c.data > JavaScriptFunction-d.input_value',
      'JavaScriptFunction-d.message > ChatOutput-y.input_value',
    ],
  );
}

test('a component in Python, a script with random output and a request before a pause run once', async () => {
  const file = { name: 'asking', endpoint_name: 'asking', data: askingData() };
  expect((await system.post('/api/v1/flows/', file)).status).toBe(201);
  const first = await system.startExecutor('python', pythonExecutor);
  const id = (await system.post('/api/v1/webhook/asking', {})).headers.get('x-run-id') ?? '';
  const run = () => system.getJson<{ status: string; attempt: number }>(`/api/v1/runs/${id}`);
  const texts = async () => {
    const messages =
      await system.getJson<readonly { readonly run_id: string; readonly text: string }[]>(
        '/api/v1/monitor/messages',
      );
    return messages.map(({ text }) => text).filter((text) => text !== '');
  };
  await until('the pause', async () => (await run()).status === 'suspended');
  const { requests } = await system.getJson<{
    readonly requests: readonly { readonly request_id: string; readonly prompt: string }[];
  }>(`/api/v1/pending?run_id=${id}`);
  const [asked] = requests;
  const before = await texts();
  first.kill();
  await first.exited;
  await system.startExecutor('python', pythonExecutor);
  const decision = { request_id: asked?.request_id, decision: { action_id: 'approve' } };
  expect((await system.post(`/api/v2/workflows/${id}/resume`, decision)).status).toBe(200);
  await until('the end of the run', async () => (await run()).status === 'succeeded');
  expect(await run()).toMatchObject({ status: 'succeeded', attempt: 2 });
  expect(before).toEqual([expect.stringMatching(/done.*0\.\d+$/s)]);
  expect(await texts()).toEqual([...before, asked?.prompt]);
  expect(asked?.prompt).toMatch(/^"run\/a\/first done"0\.\d+$/);
  expect(sink.paths).toEqual(expect.arrayContaining(['/run/a/first', '/run/c/read']));
  expect(sink.paths).toHaveLength(2);
}, 300_000);
