import type { RunFailure } from '@millrace/messages';
import type { RunResponse } from '@millrace/flow';
import type { FlowRecord } from '@millrace/runs';
import { UserStore } from '@millrace/runs';
import { uuidv7 } from '@millrace/service';
import { until } from '@millrace/service/testing';
import { callingFlow, loopingFlow, postingFlow, scriptedFlow } from '../testing/flow-document';
import { installForAllTests } from '../testing/install-for-tests';

const given = installForAllTests();

const store = (name: string, document: unknown, userId = given.userId): Promise<FlowRecord> =>
  given.flows.create(userId, { name, document });

async function run(
  flow: FlowRecord,
  text: string,
  deadline?: number,
): Promise<{ status: unknown; body: unknown }> {
  const request = given.request(text, { sessionId: `session-${uuidv7()}` });
  const job = given.job(flow, { request, ...(deadline === undefined ? {} : { deadline }) });
  await given.send(job);
  const reply = await given.finalReply(job.runId);
  await given.recorded(job.runId);
  return { status: reply.headers['x-status'], body: JSON.parse(reply.body.toString()) };
}

const outputText = ({ body }: { body: unknown }): unknown =>
  (body as RunResponse).outputs[0]?.outputs[0]?.outputs['message']?.message;

test('a flow runs another one, found by name, with its input', async () => {
  await store('shout', scriptedFlow('input.toUpperCase() + "!"'));
  const outer = await store('outer', callingFlow('shout'));
  expect(outputText(await run(outer, 'hello'))).toBe('HELLO!');
  expect(outputText(await run(outer, 'again'))).toBe('AGAIN!');
});

test('the messages of an inner flow are stored under it, in the session of the run', async () => {
  const inner = await store('stored', scriptedFlow('input + input'));
  const outer = await store('storing', callingFlow('stored'));
  const { body } = await run(outer, 'ab');
  const { session_id: sessionId } = body as RunResponse;
  const texts = async (flowId: string): Promise<readonly string[]> => {
    const rows = await given.messages.list({ userId: given.userId, flowId, sessionId });
    return rows.map(({ text }) => text);
  };
  expect(await texts(inner.id)).toEqual(['ab', 'abab']);
  expect(await texts(outer.id)).toEqual(['ab', 'abab']);
});

test('flows of other users are not found', async () => {
  const other = await new UserStore({ database: given.database }).create({
    username: `other-${uuidv7()}`,
    isAdmin: false,
  });
  await store('theirs', scriptedFlow('input'), other.id);
  const { status, body } = await run(await store('curious', callingFlow('theirs')), 'x');
  expect(status).toBe('failed');
  expect((body as RunFailure).message).toContain('Flow not found');
});

test('a flow that runs itself fails at the maximum depth', async () => {
  const { status, body } = await run(
    await store('endless', callingFlow('endless', 'ChatInput-a~input_value')),
    'x',
  );
  expect(status).toBe('failed');
  expect(body).toMatchObject({
    code: 'too_many_vertices',
    message: 'Flows can be nested at most 10 levels deep.',
  });
});

test('the failure of an inner flow contains its name', async () => {
  await store('failing', scriptedFlow('throw new Error("inside")'));
  const { body } = await run(await store('outside', callingFlow('failing')), 'x');
  expect((body as RunFailure).message).toBe(
    'Error running graph: Error building Component RunFlow: \n\nError running flow: failing',
  );
});

test('the deadline of the run also ends an inner flow', async () => {
  await store('slow', scriptedFlow('while (true) {}'));
  const outer = await store('outer of slow', callingFlow('slow'));
  const { status, body } = await run(outer, 'x', Date.now() + 300);
  expect(status).toBe('timed_out');
  expect(body).toMatchObject({ code: 'deadline_exceeded' });
});

test('requests of an inner flow have a different idempotency key in each round of a loop', async () => {
  await store('posts', postingFlow);
  const job = given.job(await store('posts often', loopingFlow('posts')));
  await given.send(job);
  for (const count of [1, 2]) {
    await until(() => given.model.requestCount === count, 'the request was not sent');
    given.model.answer('done');
  }
  expect((await given.finalReply(job.runId)).headers['x-status']).toBe('succeeded');
  const [first, second] = given.model.headers.map((headers) => headers.get('idempotency-key'));
  expect(first).toContain(job.runId);
  expect(second).toContain(job.runId);
  expect(second).not.toBe(first);
});
