import { fixedLimits } from '@millrace/service';
import { forAllTests } from '@millrace/testing';
import { chained, circling, scripted, searching, selfCalling } from './hostile-flows';
import { startStandalone } from './start-standalone';

const app = forAllTests(() => startStandalone({ environment: { MILLRACE_RUN_DEADLINE_SECONDS: '120' } }));

const post = (path: string, body: unknown) => app.send('POST', path, body);
const tooLong = `The script took longer than ${fixedLimits.scriptMilliseconds} ms.`;

test.each([
  ['an endless loop', scripted('endless', 'for (;;);'), 'x', tooLong],
  [
    'a loop of a billion iterations',
    scripted('billion', 'let n = 0; for (let i = 0; i < 1e9; i++) n += i; n'),
    'x',
    tooLong,
  ],
  [
    'a regular expression with exponential backtracking',
    scripted('redos', '/^(a+)+$/.test("a".repeat(41) + "!")'),
    'x',
    tooLong,
  ],
  [
    'an endless chain of promises',
    scripted('promises', '(async () => { for (;;) await 0 })()'),
    'x',
    tooLong,
  ],
  ['a cycle of a billion iterations', circling('circle'), 'x', 'vertices'],
  ['a flow that runs itself', selfCalling('itself'), 'x', 'deep'],
])(
  'S7: %s ends with its reason, and other runs are served',
  async (_what, flow, input, reason) => {
    expect((await post('/api/v1/flows/', flow)).status).toBe(201);
    const hostile = Array.from({ length: 4 }, () =>
      post(`/api/v1/run/${flow.endpoint_name}`, { input_value: input }),
    );
    for (let call = 0; call < 10; call += 1) {
      const answer = await post('/api/v1/run/echo', { input_value: `neighbour ${call}` });
      expect([answer.status, await answer.text()]).toEqual([
        200,
        expect.stringContaining(`neighbour ${call}`),
      ]);
    }
    for (const answer of await Promise.all(hostile)) {
      const text = await answer.text();
      expect([answer.status, text]).toEqual([500, expect.stringContaining(reason)]);
    }
  },
  120_000,
);

test('S7: a flow of ten thousand nodes is refused on upload', async () => {
  const answer = await post('/api/v1/flows/', chained('long', 10_000));
  expect([answer.status, await answer.json()]).toEqual([
    422,
    { detail: 'The flow has 10002 nodes; at most 5000 are allowed.' },
  ]);
});

test('S7: a flow of the maximum number of nodes is accepted, and completes or reaches its limits', async () => {
  expect((await post('/api/v1/flows/', chained('longest', 4_998))).status).toBe(201);
  const answers = Promise.all(
    Array.from({ length: 2 }, () => post('/api/v1/run/longest', { input_value: 'x' })),
  );
  expect((await post('/api/v1/run/echo', { input_value: 'still here' })).status).toBe(200);
  for (const { status } of await answers) expect([200, 504]).toContain(status);
}, 120_000);

test('S7: a pattern of a flow is searched in linear time', async () => {
  expect((await post('/api/v1/flows/', searching('pattern', '^(a+)+$'))).status).toBe(201);
  const answer = await post('/api/v1/run/pattern', { input_value: `${'a'.repeat(50_000)}!` });
  expect(answer.status).toBe(200);
}, 120_000);

test('S7: a template of many braces does not run endlessly', async () => {
  const answer = await post('/api/v1/run/chat', {
    input_value: '{{'.repeat(5_000),
    tweaks: { 'Prompt Template-chat2': { template: '{{'.repeat(50_000) } },
  });
  expect(answer.status).toBeLessThan(600);
  expect((await post('/api/v1/run/echo', { input_value: 'still here' })).status).toBe(200);
}, 120_000);

test('the process has not exited', async () => {
  expect(app.service.child.exitCode).toBeNull();
  expect((await fetch(`${app.url}/readyz`)).status).toBe(200);
});
