import { DatabaseUnavailableError } from '@millrace/database';
import type { Database } from '@millrace/database';
import { TcpProxy } from '@millrace/testing';
import type { QueueSourceStatus, TriggerConfig, TriggerEventRecord, TriggerRecord } from '@millrace/runs';
import { until } from '@millrace/service/testing';
import { CustomerBroker } from '../../testing/customer-broker';
import { openTestIngest } from '../../testing/test-ingest';
import type { TestIngest } from '../../testing/test-ingest';
import { testQueues } from '../../testing/test-queues';

let isAway = false;
let ingest: TestIngest;
let broker: CustomerBroker;
let proxy: TcpProxy;
let proxied: string;

beforeAll(async () => {
  broker = await CustomerBroker.open();
  const { hostname, port } = new URL(broker.url);
  proxy = await TcpProxy.listen({ host: hostname, port: Number(port || 5672) });
  const url = new URL(broker.url);
  url.host = `127.0.0.1:${proxy.port}`;
  proxied = url.href;
  ingest = await openTestIngest((database) => {
    const options = testQueues(interruptible(database));
    return { ...options, settings: { ...options.settings, MILLRACE_USER_BACKLOG_LIMIT: 20 } };
  });
}, 60_000);

afterAll(async () => {
  await ingest.close();
  await proxy.close();
  await broker.close();
}, 60_000);

/** The database of the sources, which the test can take away. */
function interruptible(database: Database): Database {
  const whileThere = <T>(work: () => Promise<T>): Promise<T> =>
    isAway ? Promise.reject(new DatabaseUnavailableError('away')) : work();
  return {
    ...database,
    query: (statement) => whileThere(() => database.query(statement)),
    transaction: (...given) => whileThere(() => database.transaction(...given)),
  };
}

/** Stores a variable with the URL of a broker. */
const connection = (name: string, value: string, type: 'Credential' | 'Generic' = 'Credential') =>
  ingest.variables.create(ingest.userId, { name, value, type, defaultFields: [] });

let flows = 0;

interface SourceOptions {
  readonly url?: string;
  readonly config?: TriggerConfig;
  readonly changes?: Partial<TriggerRecord>;
}

async function startSource({ url = broker.url, config = {}, changes = {} }: SourceOptions = {}) {
  const name = `queue-${(flows += 1)}`;
  await connection(`BROKER_${flows}`, url);
  const queue = await broker.queue(name);
  const flowId = await ingest.newFlow(name, {});
  const trigger = await ingest.triggers.create(ingest.userId, {
    flowId,
    name,
    kind: 'rabbitmq',
    nodeId: null,
    state: 'active',
    sessionPolicy: 'per_event',
    concurrencyLimit: 100,
    maximumAttempts: 5,
    flowVersion: null,
    nextOccurrenceAt: null,
    nextFireAt: null,
    config: { connection: `BROKER_${flows}`, queue, ...config },
    ...changes,
  });
  if (!trigger) throw new Error('no trigger');
  const events = (): Promise<TriggerEventRecord[]> =>
    ingest.triggers.events(ingest.userId, trigger.id, { limit: 200, offset: 0 });
  const status = async (): Promise<QueueSourceStatus | null | undefined> =>
    (await ingest.triggers.find(ingest.userId, trigger.id))?.source;
  return { name, variable: `BROKER_${flows}`, queue, trigger, events, status, dead: `${queue}.dead` };
}

/** Waits until a metric of sources has this value. */
const counted = (name: string, value: number) =>
  until(
    async () => (await ingest.metrics.prometheusText()).includes(`\n${name} ${value}\n`),
    `${name} is not ${value}`,
  );

const rejections = (id: string) => ingest.triggers.rejections(ingest.userId, id, { limit: 50, offset: 0 });

test('a message is an event with a run, and its properties are part of the payload', async () => {
  const { queue, trigger, events, status } = await startSource({ config: { input_value: '/question' } });
  const of = { triggerId: trigger.id, userId: ingest.userId };
  const properties = {
    messageId: 'm-1',
    correlationId: 'c-1',
    type: 'order',
    headers: { tenant: 'a', raw: Buffer.from('x') },
  };
  await broker.send(queue, '{"question":"why?","price":1.0}', properties);
  await until(async () => (await events()).length === 1);
  const [event] = await events();
  expect(event?.payload).toContain('"delivery":{"question":"why?","price":1.0}}');
  expect(JSON.parse(event?.payload ?? '')).toMatchObject({
    provider: 'rabbitmq',
    message: {
      message_id: 'm-1',
      routing_key: queue,
      correlation_id: 'c-1',
      type: 'order',
      headers: { tenant: 'a', raw: 'eA==' },
    },
  });
  expect(event?.dedupeKey).toBe('id:m-1');
  const run = await ingest.runs.find(ingest.userId, event?.runId ?? '');
  expect(run?.request).toMatchObject({
    inputs: [{ inputValue: 'why?' }],
    webhookPayload: '{"question":"why?","price":1.0}',
    sessionId: `trigger:${trigger.id}:${event?.id}`,
  });
  await until(() => ingest.jobs.some(({ runId }) => runId === event?.runId));
  await until(async () => (await status())?.state === 'consuming');
  expect((await status())?.error).toBeNull();
  await until(async () => (await broker.ready(queue)) === 0);
  expect(ingest.logged('a source consumes')).toEqual([{ ...of, queue }]);
  await counted('millrace_queue_consumers', 1);
}, 60_000);

test('messages with one id are one event, messages without one are an event each', async () => {
  const { queue, trigger, events } = await startSource();
  for (let repeat = 0; repeat < 3; repeat += 1) {
    await broker.send(queue, '{"n":1}', { messageId: 'same' });
    await broker.send(queue, '{"n":2}');
  }
  const long = 'x'.repeat(250);
  await broker.send(queue, '{}', { messageId: long });
  await broker.send(queue, '{}', { messageId: long });
  await broker.send(queue, '{}', { messageId: 'last' });
  await until(async () => (await events()).some(({ dedupeKey }) => dedupeKey === 'id:last'));
  const keys = (await events()).map(({ dedupeKey }) => dedupeKey.replace(/^message:.*/, 'message'));
  expect(keys.toSorted()).toEqual([
    'id:last',
    'id:same',
    expect.stringMatching(/^id:sha256:/),
    'message',
    'message',
    'message',
  ]);
  const runIds = (await events()).map(({ runId }) => runId).toSorted();
  const published = () => ingest.jobs.filter(({ flowId }) => flowId === trigger.flowId);
  await until(() => published().length >= runIds.length);
  expect(
    published()
      .map(({ runId }) => runId)
      .toSorted(),
  ).toEqual(runIds);
  await counted('millrace_queue_messages_deduplicated_total', 3);
  await counted('millrace_queue_messages_taken_total', 7);
}, 60_000);

test('a header can be the id of a message', async () => {
  const { queue, events } = await startSource({ config: { dedupe_by: 'header:x-order' } });
  for (const order of [7, 7, 8])
    await broker.send(queue, '{}', { messageId: 'same', headers: { 'x-order': order } });
  await until(async () => (await events()).length === 2);
  expect((await events()).map(({ dedupeKey }) => dedupeKey).toSorted()).toEqual(['id:7', 'id:8']);
}, 60_000);

test('a message that cannot be read goes to the dead letters of its queue, with an entry', async () => {
  const { queue, trigger, events, dead } = await startSource();
  await broker.send(queue, 'no JSON', { messageId: 'poison' });
  await broker.send(queue, Buffer.from([0xff, 0xfe]));
  await broker.send(queue, 'x'.repeat(300_000), { messageId: 'large' });
  await broker.send(queue, `[${'1,'.repeat(10_000).slice(0, 9_000)}`);
  await broker.send(queue, String.raw`{"n":"\ud800"}`, { messageId: 'half' });
  await broker.send(queue, '{"n":1}', { messageId: 'good' });
  await until(async () => (await broker.ready(dead)) === 5 && (await events()).length === 1);
  const found = await rejections(trigger.id);
  expect(found.map(({ reason, messageId, bytes }) => [reason, messageId, bytes]).toSorted()).toEqual(
    [
      ['undecodable', 'poison', 7],
      ['undecodable', null, 2],
      ['too_large', 'large', 300_000],
      ['undecodable', null, 9_001],
      ['undecodable', 'half', 14],
    ].toSorted(),
  );
  expect(found.find(({ messageId }) => messageId === 'poison')).toMatchObject({
    detail: 'The body is not JSON.',
    excerpt: 'no JSON',
  });
  expect(found.find(({ messageId }) => messageId === 'large')).toMatchObject({
    detail: 'The body has 300000 bytes; the limit is 10000.',
    excerpt: null,
  });
  await until(async () => (await broker.ready(queue)) === 0);
  const large = { reason: 'too_large', messageId: 'large', bytes: 300_000 };
  const of = { triggerId: trigger.id, userId: ingest.userId };
  expect(ingest.logged('a message was rejected')).toContainEqual({ ...of, ...large });
  await counted('millrace_queue_messages_rejected_total{reason="too_large"}', 1);
}, 60_000);

test('text and bytes are taken as they are, when the configuration says so', async () => {
  const [text, bytes] = [
    await startSource({ config: { body: 'text' } }),
    await startSource({ config: { body: 'base64' } }),
  ];
  await broker.send(text.queue, 'plain "text"');
  await broker.send(bytes.queue, Buffer.from([0xff, 0x00]));
  await until(async () => (await text.events()).length === 1 && (await bytes.events()).length === 1);
  const delivery = async (events: typeof text.events) => {
    const [event] = await events();
    const run = await ingest.runs.find(ingest.userId, event?.runId ?? '');
    const { delivery: value } = JSON.parse(event?.payload ?? '') as { delivery: unknown };
    return [value, run?.request?.webhookPayload];
  };
  expect(await delivery(text.events)).toEqual(['plain "text"', 'plain "text"']);
  expect(await delivery(bytes.events)).toEqual(['/wA=', '/wA=']);
}, 60_000);

test('a source connects again after its connection was lost, and loses no message', async () => {
  const { queue, events, status } = await startSource({ url: proxied });
  await broker.send(queue, '{}', { messageId: '0' });
  await until(async () => (await events()).length === 1);
  proxy.cut();
  proxy.set({ isRefusing: true });
  for (let n = 1; n < 40; n += 1) await broker.send(queue, '{}', { messageId: String(n) });
  await until(async () => (await status())?.state === 'failing');
  expect((await status())?.error).toMatch(/lost its connection|could not be reached/);
  proxy.set({ isRefusing: false });
  await until(async () => (await events()).length === 40, undefined, 30_000);
  await until(async () => (await status())?.state === 'consuming');
  const metrics = await ingest.metrics.prometheusText();
  expect(metrics).toMatch(/^millrace_queue_reconnects_total [1-9]/m);
}, 90_000);

test('what cannot be stored of a source is logged, and the source goes on after the outage', async () => {
  const { queue, trigger, events } = await startSource({ url: proxied });
  await broker.send(queue, '{}', { messageId: '1' });
  await until(async () => (await events()).length === 1);
  isAway = true;
  const of = { triggerId: trigger.id, userId: ingest.userId, error: expect.any(DatabaseUnavailableError) };
  const logged = async (message: string) => {
    const found = () =>
      ingest.logged(message).find((fields) => Reflect.get(fields, 'triggerId') === trigger.id);
    await until(() => found() !== undefined, message);
    return found();
  };
  await broker.send(queue, 'no JSON');
  const unstored = 'messages of a source could not be stored; this will be retried';
  expect(await logged(unstored)).toEqual(of);
  proxy.cut();
  expect(await logged('the state of a source could not be stored')).toEqual(of);
  const { triggerId, error } = of;
  expect(await logged('the lease of a source could not be ended')).toEqual({ triggerId, error });
  const leases = ingest.logged('leases of sources could not be renewed; this will be retried');
  expect(leases).toContainEqual({ error });
  isAway = false;
  await broker.send(queue, '{}', { messageId: '2' });
  await until(async () => (await events()).length === 2);
}, 90_000);

test('a full backlog leaves messages in their queue', async () => {
  const { queue, events, status } = await startSource({
    changes: { concurrencyLimit: 1 },
    config: { prefetch: 5 },
  });
  for (let n = 0; n < 60; n += 1) await broker.send(queue, '{}', { messageId: String(n) });
  await until(async () => (await status())?.state === 'backlog_full', undefined, 30_000);
  const stored = (await events()).length;
  expect(stored).toBeLessThan(40);
  expect(await broker.ready(queue)).toBeGreaterThan(0);
  // Room in the backlog: the runs that wait are cancelled.
  const end = () =>
    ingest.database.query({
      text: `UPDATE runs SET status = 'cancelled', next_sweep_at = NULL, finished_at = now() WHERE status = 'accepted'`,
    });
  await until(
    async () => {
      await end();
      return (await events()).length === 60;
    },
    undefined,
    60_000,
  );
}, 120_000);

test('a paused source does not consume, and continues when it is enabled', async () => {
  const { queue, trigger, events } = await startSource();
  await broker.send(queue, '{}', { messageId: '1' });
  await until(async () => (await events()).length === 1);
  await ingest.triggers.update(ingest.userId, trigger.id, { state: 'paused' });
  await until(async () => (await broker.consumers(queue)) === 0);
  await broker.send(queue, '{}', { messageId: '2' });
  expect(await broker.ready(queue)).toBe(1);
  await ingest.triggers.update(ingest.userId, trigger.id, { state: 'active' });
  await until(async () => (await events()).length === 2);
}, 60_000);

test('a deleted source returns what it has not stored', async () => {
  const { queue, trigger } = await startSource({ config: { prefetch: 10 } });
  await until(async () => (await broker.consumers(queue)) === 1);
  const sending = Promise.all(
    Array.from({ length: 50 }, (_, n) => broker.send(queue, '{}', { messageId: String(n) })),
  );
  await ingest.triggers.remove(ingest.userId, trigger.id);
  await sending;
  await until(async () => (await broker.consumers(queue)) === 0);
  const { rows } = await ingest.database.query<{ count: number }>({
    text: `SELECT count(*)::int AS count FROM runs WHERE dedupe_key LIKE $1`,
    values: [`trigger:${trigger.id}:%`],
  });
  await until(async () => (await broker.ready(queue)) + (rows[0]?.count ?? 0) === 50);
}, 60_000);

test('a changed variable or configuration makes another connection', async () => {
  const wrong = new URL(broker.url);
  Object.assign(wrong, { username: 'stranger', password: 'wrong' });
  const { queue, trigger, variable, events, status } = await startSource({ url: wrong.href });
  await until(async () => (await status())?.state === 'failing');
  expect((await status())?.error).toMatch(/ACCESS_REFUSED/);
  expect((await status())?.error).not.toContain('wrong');
  const [stored] = (await ingest.variables.list(ingest.userId)).filter(({ name }) => name === variable);
  const change = async (url: string) => {
    await ingest.variables.update(ingest.userId, stored?.id ?? '', { value: url });
    await ingest.announce({ kind: 'variables-changed', userId: ingest.userId });
  };
  await change(broker.url);
  await until(async () => (await broker.consumers(queue)) === 1, undefined, 30_000);
  // An open connection is closed too.
  await change(wrong.href);
  await until(async () => (await status())?.state === 'failing' && (await broker.consumers(queue)) === 0);
  await change(broker.url);
  await broker.send(queue, '{}', { messageId: '1' });
  await until(async () => (await events()).length === 1, undefined, 30_000);
  // Without the variable, the open connection is closed.
  await ingest.variables.delete(ingest.userId, stored?.id ?? '');
  await ingest.announce({ kind: 'variables-changed', userId: ingest.userId });
  await until(async () => (await broker.consumers(queue)) === 0);
  const reason = `The variable ${variable} of type Credential does not exist.`;
  await until(async () => (await status())?.error === reason);
  const other = await startSource();
  const config = { connection: other.variable, queue };
  await ingest.triggers.update(ingest.userId, trigger.id, { config });
  await broker.send(queue, '{}', { messageId: '2' });
  await until(async () => (await events()).length === 2, undefined, 30_000);
}, 120_000);

test.each([
  ['a variable of another user', 'OTHERS', /does not exist/],
  ['a variable that is no credential', 'PLAIN', /does not exist/],
  ['an address that is not public', 'HIDDEN', /is not a public address/],
  ['a queue that does not exist', null, /NOT_FOUND/],
])(
  'a source with %s fails with the reason',
  async (_case, variable, reason) => {
    const stranger = await ingest.newUser(`stranger-${flows}`);
    await ingest.variables.create(stranger, {
      name: 'OTHERS',
      value: broker.url,
      type: 'Credential',
      defaultFields: [],
    });
    if (variable === 'PLAIN') await connection('PLAIN', broker.url, 'Generic');
    if (variable === 'HIDDEN') await connection('HIDDEN', 'amqp://guest:guest@127.0.0.2:5672');
    const config = variable === null ? { queue: 'no-such-queue' } : { connection: variable };
    const { status, trigger } = await startSource({ config });
    await until(async () => (await status())?.state === 'failing');
    const failing = ingest.logged('a source does not consume; it will connect again');
    const of = { triggerId: trigger.id, userId: ingest.userId, reason: expect.stringMatching(reason) };
    expect(failing).toContainEqual(expect.objectContaining(of));
    expect((await status())?.error).toMatch(reason);
  },
  60_000,
);
