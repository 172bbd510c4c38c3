import { FLOW_HEADER, flowEventsTopology } from '@millrace/messages';
import type { ControlMessage, FlowEvent } from '@millrace/messages';
import type { Database } from '@millrace/database';
import { BusUnavailableError } from '@millrace/messaging';
import type { Delivery } from '@millrace/messaging';
import { machineTime } from '@millrace/service';
import { recordingLogger, until } from '@millrace/service/testing';
import { openTestDatabase, openTestInstallation } from '../testing/test-installation';
import type { TestInstallation } from '../testing/test-installation';
import { WatchedFlows } from './watched-flows';

const logger = recordingLogger();
let database: Database;
let given: TestInstallation;
let received: Delivery[];

beforeAll(async () => {
  database = await openTestDatabase();
}, 60_000);

afterAll(() => database.close());

beforeEach(async () => {
  given = await openTestInstallation(database);
  received = [];
  await given.bus.provision(flowEventsTopology(given.names, 'test'));
  await given.bus.consume(given.names.flowEvents('test'), { prefetch: 10, noAck: true }, async (delivery) => {
    received.push(delivery);
    return 'done';
  });
});

afterEach(() => given.close());

const control = (message: ControlMessage) =>
  given.bus.publish({
    exchange: given.names.controlExchange,
    routingKey: '',
    body: Buffer.from(JSON.stringify(message)),
    persistent: false,
    mandatory: false,
  });

const run = async (request: Parameters<TestInstallation['request']>[1]) => {
  const job = await given.accept(given.echo, { request: given.request('hello', request) });
  await given.send(job);
  await until(
    async () => (await given.runs.find(given.userId, job.runId))?.status === 'succeeded',
    'the run did not succeed',
  );
  return job.runId;
};

test('watchers of a flow receive the events of its webhook runs, with the run id', async () => {
  await given.startExecutor('worker-1');
  await run({ form: 'webhook' });
  await control({ kind: 'watch-flow', flowId: given.echo.id, replyTo: given.names.flowEvents('test') });
  await run({ form: 'simple' });
  const runId = await run({ form: 'webhook' });
  await until(() => received.some(({ body }) => body.includes('"end"')), 'no end was received');
  const events = received.map(({ body }) => JSON.parse(body.toString()) as FlowEvent);
  expect(events.map(({ event }) => event)).toEqual([
    'vertices_sorted',
    'build_start',
    'end_vertex',
    'build_start',
    'end_vertex',
    'add_message',
    'add_message',
    'end',
  ]);
  expect(events.every(({ data }) => data['run_id'] === runId)).toBe(true);
  expect(received.every(({ headers }) => headers[FLOW_HEADER] === given.echo.id)).toBe(true);
  expect(events[0]?.data).toEqual({
    ids: [expect.stringMatching(/^ChatInput/)],
    to_run: [expect.stringMatching(/^ChatInput/), expect.stringMatching(/^ChatOutput/)],
    run_id: runId,
  });
  expect(events[1]?.data).toEqual({ id: expect.stringMatching(/^ChatInput/), run_id: runId });
  expect(events[4]?.data).toMatchObject({
    build_data: { id: expect.stringMatching(/^ChatOutput/), valid: true, artifacts: { message: 'hello' } },
  });
  expect(events[6]?.data).toMatchObject({ text: 'hello', sender: 'Machine' });
  expect(events[7]?.data).toEqual({ success: true, run_id: runId });
});

test('a watch of an unreachable gateway affects no run', async () => {
  await given.startExecutor('worker-1');
  await control({ kind: 'watch-flow', flowId: given.echo.id, replyTo: 'nowhere' });
  await run({ form: 'webhook' });
  expect(received).toEqual([]);
});

test('an event that cannot be sent, or is too large, is logged', async () => {
  const error = new BusUnavailableError('away');
  const bus = { ...given.bus, publish: () => Promise.reject(error) };
  const watches = new WatchedFlows({ bus, logger });
  watches.watch({ flowId: 'flow', replyTo: 'gateway' });
  const report = watches.report('flow', 'run');
  report?.('end', {});
  report?.('end', { text: 'x'.repeat(262_144) });
  await until(() => logger.lines.length === 2);
  const of = { flowId: 'flow', runId: 'run' };
  expect(logger.fieldsOf('could not notify a flow watcher')).toEqual([{ ...of, error }]);
  expect(logger.fieldsOf('event of a watched flow dropped')).toEqual([{ ...of, bytes: expect.any(Number) }]);
});

test('a watch that is not renewed ends after thirty seconds, to the millisecond', () => {
  const watches = new WatchedFlows({ bus: given.bus, logger });
  const flows = Array.from({ length: 100 }, (_, index) => `flow-${index}`);
  const watchedSince = (milliseconds: number) =>
    flows.filter((flowId) => {
      watches.watch({ flowId, replyTo: 'gateway' }, machineTime() - milliseconds);
      return watches.report(flowId, 'run') !== null;
    });
  expect(watchedSince(30_000)).toEqual([]);
  expect(watchedSince(1_000)).toEqual(flows);
});
