import { setTimeout as pause } from 'node:timers/promises';
import { flowData, forAllTests, node } from '@millrace/testing';
import { streamEvents } from './stream-events';
import type { StreamEvent } from './stream-events';
import { startTestSystem } from './test-system';
import type { ExampleFlow, TestSystem } from './test-system';

interface RunAnswer {
  readonly session_id: string;
  readonly outputs: { outputs: { results: { message: { text: string } } }[] }[];
}

interface RunView {
  readonly id: string;
  readonly status: string;
  readonly attempt: number;
  readonly worker: string | null;
  readonly result: RunAnswer | null;
}

/** Number of runs whose messages are read back at once; increase it for a long manual run. */
const READS = Number(process.env['MILLRACE_READS'] ?? 200);
/** Concurrent senders of webhooks, and how many webhooks are acknowledged before ingest is killed. */
const SENDERS = 8;
const ACCEPTED_BEFORE_KILL = 50;

const system = forAllTests(() =>
  startTestSystem({ pools: { default: 2 }, environment: { LOG_LEVEL: 'info' } }),
);

const textOf = (answer: RunAnswer) => answer.outputs[0]?.outputs[0]?.results.message.text;

async function ended(runId: string): Promise<RunView> {
  for (let tries = 0; tries < 3_000; tries += 1) {
    const run = await system.getJson<RunView>(`/api/v1/runs/${runId}`);
    if (!['accepted', 'queued', 'running'].includes(run.status)) return run;
    await pause(100);
  }
  throw new Error(`run ${runId} did not end in time`);
}

/** Resolves to an executor with an in-flight run. */
async function busyExecutor(): Promise<TestSystem['executors'][number]> {
  for (let tries = 0; tries < 3_000; tries += 1) {
    for (const executor of system.executors) {
      if (executor.child.exitCode !== null || executor.child.signalCode !== null) continue;
      const metrics = await fetch(`http://127.0.0.1:${String(executor.ready['healthPort'])}/metrics`).then(
        (answer) => answer.text(),
      );
      if (/^millrace_executor_runs_in_hand(?:\{[^}]*\})? [1-9]/m.test(metrics)) return executor;
    }
    await pause(50);
  }
  throw new Error('no executor has an in-flight run');
}

async function replaceKilled(): Promise<void> {
  system.executors.push(await system.startExecutor());
}

test('runs a flow through gateway, broker and executor', async () => {
  const { endpoint } = await system.upload('chat');
  const response = await system.post(`/api/v1/run/${endpoint}`, {
    input_value: 'Hi [[reply="Good day."]]',
    session_id: 's-1',
  });
  expect(response.status).toBe(200);
  const answer = (await response.json()) as RunAnswer;
  expect(answer.session_id).toBe('s-1');
  expect(textOf(answer)).toBe('Good day.');
  const run = await ended(response.headers.get('x-run-id') ?? '');
  expect(run).toMatchObject({ status: 'succeeded', attempt: 1, result: answer });
});

test('a long text is whole in the answer, in its record and in the message', async () => {
  const { endpoint } = await system.upload('echo');
  const text = 'line "é"\n\u0001 😀'.repeat(1_000);
  const body = { input_value: text, session_id: 'long' };
  const response = await system.post(`/api/v1/run/${endpoint}`, body);
  const answered = await response.text();
  expect([response.status, answered.slice(0, 200)]).toEqual([200, expect.stringContaining('outputs')]);
  expect(Number(response.headers.get('content-length'))).toBe(Buffer.byteLength(answered));
  const answer = JSON.parse(answered) as RunAnswer;
  expect(textOf(answer)).toBe(text);
  const run = await ended(response.headers.get('x-run-id') ?? '');
  expect(run.result).toEqual(answer);
  const messages = await system.getJson<{ text: string }[]>('/api/v1/monitor/messages?session_id=long');
  expect(messages.map((message) => message.text)).toEqual([text, text]);
});

test('streams tokens as the model produces them', async () => {
  const { endpoint } = await system.upload('chat');
  const response = await system.post(`/api/v1/run/${endpoint}?stream=true`, {
    input_value: '[[tokens=20 interval=5]]',
  });
  const events: StreamEvent[] = [];
  for await (const event of streamEvents(response)) events.push(event);
  const tokens = events.filter(({ event }) => event === 'token').map(({ data }) => String(data['chunk']));
  expect(tokens).toHaveLength(20);
  expect(events.at(-1)?.event).toBe('end');
  const { result } = events.at(-1)?.data as unknown as { result: RunAnswer };
  expect(textOf(result)).toBe(tokens.join(''));
});

test('runs a webhook in the background and stores its result', async () => {
  const { endpoint } = await system.upload('order-webhook');
  const response = await system.post(`/api/v1/webhook/${endpoint}`, {
    customer: 'Ann',
    quantity: 3,
    product: 'pencils',
  });
  expect(response.status).toBe(202);
  const { run_id } = (await response.json()) as { run_id: string };
  const run = await ended(run_id);
  expect(run).toMatchObject({ status: 'succeeded', attempt: 1 });
  expect(run.result && textOf(run.result)).toBe('New order: Ann orders 3 of pencils.');
});

test('a waiting caller receives the result of the second attempt when the executor is killed', async () => {
  const { endpoint } = await system.upload('chat');
  const waiting = system.post(`/api/v1/run/${endpoint}`, {
    input_value: '[[delay=5000 reply="Still here."]]',
  });
  const victim = await busyExecutor();
  victim.kill();
  await victim.exited;
  const response = await waiting;
  expect(response.status).toBe(200);
  expect(textOf((await response.json()) as RunAnswer)).toBe('Still here.');
  expect(await ended(response.headers.get('x-run-id') ?? '')).toMatchObject({
    status: 'succeeded',
    attempt: 2,
  });
  await replaceKilled();
}, 60_000);

test('a streaming caller receives a restart event and the complete second attempt', async () => {
  const { endpoint } = await system.upload('chat');
  const response = await system.post(`/api/v1/run/${endpoint}?stream=true`, {
    input_value: '[[tokens=50 interval=100]]',
  });
  const events: StreamEvent[] = [];
  let killed = false;
  for await (const event of streamEvents(response)) {
    events.push(event);
    if (killed || event.event !== 'token') continue;
    killed = true;
    (await busyExecutor()).kill();
  }
  const restart = events.findIndex(({ event }) => event === 'restart');
  expect(events[restart]?.data).toMatchObject({ attempt: 2 });
  const tokens = events
    .slice(restart)
    .filter(({ event }) => event === 'token')
    .map(({ data }) => String(data['chunk']));
  expect(tokens).toHaveLength(50);
  expect(events.at(-1)?.event).toBe('end');
  expect(await ended(response.headers.get('x-run-id') ?? '')).toMatchObject({
    status: 'succeeded',
    attempt: 2,
  });
  await replaceKilled();
}, 60_000);

test('webhooks that ingest acknowledged before it was killed are run', async () => {
  const { endpoint } = await system.upload('order-webhook');
  const body = { customer: 'Ann', quantity: 3, product: 'pencils' };
  const accepted: string[] = [];
  const refused: number[] = [];
  const sending = Array.from({ length: SENDERS }, async () => {
    while (refused.length === 0) {
      const response = await system.post(`/api/v1/webhook/${endpoint}`, body);
      const answer = (await response.json()) as { run_id: string };
      if (response.status === 202) accepted.push(answer.run_id);
      else refused.push(response.status);
    }
  });
  while (accepted.length < ACCEPTED_BEFORE_KILL) await pause(10);
  system.ingest.kill();
  await Promise.all([system.ingest.exited, ...sending]);
  expect(new Set(refused)).toEqual(new Set([503]));
  await system.startService({
    app: 'ingest',
    environment: { MILLRACE_INGEST_PORT: String(system.ingestPort) },
  });
  for (const id of accepted) expect(await ended(id)).toMatchObject({ status: 'succeeded', attempt: 1 });
}, 60_000);

/** Puts a Human Input between the model and the answer of the example `chat`. */
function askBeforeAnswer({ data }: ExampleFlow): void {
  const edges = data.edges as { readonly source: string; readonly target: string }[];
  const [model = '', answer = ''] = edges.flatMap(({ source, target }) =>
    target.startsWith('ChatOutput') ? [source, target] : [],
  );
  const asking = flowData(
    [node('HumanInput-h', { prompt: '' }, 'branch_approve', 'branch_reject')],
    [`${model}.text_output > HumanInput-h.prompt`, `HumanInput-h.branch_approve > ${answer}.input_value`],
  );
  data.nodes.push(...asking.nodes);
  data.edges = [...edges.filter(({ target }) => target !== answer), ...asking.edges];
}

test('a run that waits for a person goes on at another executor, and executes no vertex again', async () => {
  const { id } = await system.upload('chat', askBeforeAnswer);
  const body = { flow_id: id, input_value: '[[reply="Ship it."]]', session_id: 'asked' };
  const job = (await (await system.post('/api/v2/workflows', body)).json()) as {
    readonly job_id: string;
    readonly status: string;
    readonly human_request: { readonly request_id: string; readonly prompt: string };
  };
  expect(job).toMatchObject({ status: 'suspended', human_request: { prompt: 'Ship it.' } });
  const calls = system.model.counts.total;
  for (const executor of system.executors.splice(0)) executor.kill();
  await Promise.all([replaceKilled(), replaceKilled()]);
  const path = `/api/v2/workflows/${job.job_id}/resume`;
  const decision = { request_id: job.human_request.request_id, decision: { action_id: 'approve' } };
  expect((await system.post(path, decision)).status).toBe(200);
  expect((await system.post(path, decision)).status).toBe(409);
  const run = await ended(job.job_id);
  expect([run.status, run.attempt, run.result && textOf(run.result)]).toEqual(['succeeded', 2, 'Ship it.']);
  expect(system.model.counts.total).toBe(calls);
  const messages = await system.getJson<
    readonly { readonly text: string; readonly content_blocks: unknown }[]
  >(`/api/v1/monitor/messages?flow_id=${id}&session_id=asked`);
  expect(messages.map(({ text }) => text)).toEqual(['[[reply="Ship it."]]', '', 'Ship it.']);
  expect(messages[1]?.content_blocks).toMatchObject([
    { contents: [{ type: 'human_input', prompt: 'Ship it.', submitted_action: 'approve' }] },
  ]);
}, 60_000);

test('messages of a run are visible to the next read, every time', async () => {
  const { id, endpoint } = await system.upload('echo');
  for (let round = 0; round < READS; round += 1) {
    const session = `turn-${round}`;
    const response = await system.post(`/api/v1/run/${endpoint}`, {
      input_value: `message ${round}`,
      session_id: session,
    });
    expect(response.status).toBe(200);
    await response.arrayBuffer();
    const messages = await system.getJson<{ text: string }[]>(
      `/api/v1/monitor/messages?flow_id=${id}&session_id=${session}`,
    );
    expect(messages.map(({ text }) => text)).toEqual([`message ${round}`, `message ${round}`]);
  }
}, 60_000);
