import Ajv from 'ajv/dist/2020';
import { replySchemas } from '@millrace/messages';
import type { Job, ReplyType } from '@millrace/messages';
import { uuidv7 } from '@millrace/service';
import { until } from '@millrace/service/testing';
import { installForAllTests } from '../testing/install-for-tests';

const ajv = new Ajv({ strict: false, logger: false });
ajv.addFormat('uuid', /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i);
const checks = {
  events: ajv.compile(replySchemas.events),
  final: ajv.compile(replySchemas.final),
  recorded: ajv.compile(replySchemas.recorded),
} as const satisfies Record<ReplyType, unknown>;

const given = installForAllTests();

/** Returns the names of a run's events; each frame is checked against the AsyncAPI document. */
async function eventsOf(job: Job): Promise<readonly string[]> {
  await given.send(job);
  await given.finalReply(job.runId);
  const frames = given.replies.filter(
    ({ correlationId, type }) => correlationId === job.runId || type === 'recorded',
  );
  const eventNames: string[] = [];
  for (const { type, body } of frames) {
    for (const text of body.toString().trim().split('\n')) {
      const value: unknown = JSON.parse(text);
      const isAsDocumented = checks[type as ReplyType];
      expect([type, isAsDocumented(value), isAsDocumented.errors]).toEqual([type, true, null]);
      if (type === 'events') eventNames.push((value as { event: string }).event);
    }
  }
  return eventNames;
}

test('replies match the AsyncAPI document', async () => {
  const whole = given.job(given.echo);
  expect(await eventsOf(whole)).toEqual([]);
  await given.recorded(whole.runId);
  const streamed = given.job(given.echo, { request: given.request('x', { stream: true }) });
  expect(await eventsOf(streamed)).toEqual(['add_message', 'add_message']);
  const { runId } = streamed;
  await given.control({ kind: 'resend-frames', runId, attempt: 1, from: 0 });
  await until(() => given.logged('frames of a run sent again').length > 0, 'no frame was sent again');
  expect(given.logged('frames of a run sent again')).toEqual([
    { runId, attempt: 1, from: 0, frames: expect.any(Number), failed: 0 },
  ]);
  const refused = given.job({ ...given.echo, id: uuidv7() });
  expect(await eventsOf(refused)).toEqual([]);
});

test('a run with vertex events reports its vertices among its messages', async () => {
  const request = given.request('x', { stream: true, vertexEvents: true });
  expect(await eventsOf(await given.accept(given.echo, { request }))).toEqual([
    'vertices_sorted',
    'build_start',
    'add_message',
    'end_vertex',
    'add_message',
    'end_vertex',
  ]);
});
