import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { startModelServer } from '@millrace/model-server';
import type { ModelServer } from '@millrace/model-server';
import { startStandalone } from './start-standalone';
import type { Standalone } from './start-standalone';

const ROOT = join(__dirname, '..', '..');
const KEY = 'sk-0123456789-of-the-first-user';
const apps: Standalone[] = [];
let model: ModelServer;

interface PythonFlows {
  call(method: string, path: string, body?: unknown): Promise<{ status: number; json: unknown }>;
  /** Stores an example; resolves to the report of the answer. */
  upload(
    example: string,
  ): Promise<{ verdict: string; vertices: { status: string; sha256: string | null }[] }>;
  /** Runs a flow; resolves to the text of its message, or to the error. */
  run(flow: string, input: string): Promise<string>;
}

beforeAll(async () => {
  model = await startModelServer();
});

afterAll(async () => {
  for (const app of apps) await app.stop();
  await model.close();
}, 60_000);

async function start(
  flags: readonly string[],
  environment: Record<string, string> = {},
): Promise<PythonFlows> {
  const app = await startStandalone({
    flags,
    environment: {
      MILLRACE_BOOTSTRAP_API_KEY: KEY,
      MILLRACE_PYTHON_ENVIRONMENT: dirname(dirname(process.env['TEST_PYTHON'] ?? '')),
      MILLRACE_PYTHON_WAIT_SECONDS: '60',
      MILLRACE_OUTGOING_ALLOW: '127.0.0.1/32',
      OPENAI_BASE_URL: model.url,
      OPENAI_API_KEY: 'sk-test',
      ...environment,
    },
  });
  apps.push(app);
  const call = async (method: string, path: string, body?: unknown) => {
    const response = await app.send(method, path, body);
    return { status: response.status, json: (await response.json()) as unknown };
  };
  return {
    call,
    async upload(example) {
      const flow: unknown = JSON.parse(
        readFileSync(join(ROOT, 'examples', 'python', `${example}.json`), 'utf8'),
      );
      const { json } = await call('POST', '/api/v1/flows/', flow);
      return (json as { report: Awaited<ReturnType<PythonFlows['upload']>> }).report;
    },
    async run(flow, input) {
      const { status, json } = await call('POST', `/api/v1/run/${flow}`, { input_value: input });
      if (status !== 200) return `${status} ${JSON.stringify(json)}`;
      const { outputs } = json as {
        outputs: { outputs: { results: { message: { text: string } } }[] }[];
      };
      return outputs[0]?.outputs[0]?.results.message.text ?? '';
    },
  };
}

const seal = (json: unknown) =>
  (json as { checks: { python?: { ok: boolean; details?: { seal: { level: string } } } } }).checks.python;

test('npm start -- --python runs the examples without an approval, in sealed processes', async () => {
  const app = await start(['--python']);
  for (const example of ['word-count', 'signature', 'length-agent']) {
    const { verdict, vertices } = await app.upload(example);
    expect(verdict).toBe('runnable');
    expect(vertices.filter(({ status }) => status === 'python')).toHaveLength(1);
  }
  expect(await app.run('word-count', 'the cat and the dog')).toBe(
    '5 words, 4 different; most frequent: the (2)',
  );
  expect(await app.run('signature', 'See you soon')).toBe('See you soon\n\nRegards,\nThe Millrace team');
  expect(await app.run('length-agent', '[[call=convert with="length=26.2; unit=mi; target=km"]]')).toContain(
    '42.165',
  );
  const { json } = await app.call('GET', '/readyz');
  expect(seal(json)).toMatchObject({ ok: true, details: { seal: { level: 'sealed' } } });
}, 180_000);

test('with MILLRACE_PYTHON=approved a text runs after its approval, and no longer after a refusal', async () => {
  const app = await start([], { MILLRACE_PYTHON: 'approved' });
  const report = await app.upload('word-count');
  expect(report.verdict).toBe('needs_approval');
  const sha256 = report.vertices.find(({ status }) => status === 'needs_approval')?.sha256 ?? '';
  expect(sha256).toMatch(/^[0-9a-f]{64}$/);
  expect(await app.run('word-count', 'a b')).toMatch(new RegExp(`^422 .*flow_refused.*${sha256}`));
  const waiting = await app.call('GET', '/api/v1/author-code');
  expect(waiting.json).toMatchObject({
    author_code: [{ sha256, status: 'waiting', component_type: 'WordCount' }],
  });

  await app.call('PUT', `/api/v1/author-code/${sha256}`, { status: 'approved' });
  expect(await app.run('word-count', 'a b')).toContain('2 words');
  await app.call('PUT', `/api/v1/author-code/${sha256}`, { status: 'refused' });
  expect(await app.run('word-count', 'a b')).toMatch(/^422 /);
}, 180_000);

test('without Python the same flow is refused, and the report says what to do', async () => {
  const app = await start([]);
  expect(await app.upload('word-count')).toMatchObject({
    verdict: 'needs_python',
    vertices: expect.arrayContaining([
      expect.objectContaining({ status: 'needs_python', reason: expect.stringContaining('--python') }),
    ]),
  });
  expect(await app.run('word-count', 'a b')).toMatch(/^422 .*flow_refused/);
}, 60_000);

test('a folder without an environment ends the start with one sentence', async () => {
  const missing = start([], { MILLRACE_PYTHON: 'approved', MILLRACE_PYTHON_ENVIRONMENT: '/nonexistent' });
  await expect(missing).rejects.toThrow(/There is no Python environment in \/nonexistent/);
}, 60_000);
