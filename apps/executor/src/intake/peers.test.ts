import { setTimeout as pause } from 'node:timers/promises';
import { brokerNames, controlTopology } from '@millrace/messages';
import { controlHandler } from '@millrace/dispatch';
import { openKeyValueStore } from '@millrace/key-value';
import type { KeyValueStore } from '@millrace/key-value';
import { InProcessBus } from '@millrace/messaging';
import type { BusState } from '@millrace/messaging';
import { createLogger } from '@millrace/service';
import { until } from '@millrace/service/testing';
import { Peers } from './peers';

const logger = createLogger({ name: 'peers-test', level: 'silent' });
const names = brokerNames('');

/** The broker as one executor sees it: its messages arrive, and the test says when its connection is lost and back. */
class InterruptibleBus extends InProcessBus {
  readonly #watchers = new Set<(state: BusState) => void>();

  override onStateChange(listener: (state: BusState) => void): () => void {
    this.#watchers.add(listener);
    return () => this.#watchers.delete(listener);
  }

  report(state: BusState): void {
    for (const watch of this.#watchers) watch(state);
  }
}

let keyValue: KeyValueStore;
const closings: (() => unknown)[] = [];

beforeEach(async () => {
  keyValue = await openKeyValueStore({ url: undefined, prefix: '', logger, name: 'peers-test' });
  closings.push(() => keyValue.close());
});

afterEach(async () => {
  for (const close of closings.splice(0).reverse()) await close();
});

/** Opens the peers of one executor, with its control queue. */
async function connect(bus: InProcessBus, worker: string): Promise<Peers> {
  const peers = new Peers({ bus, names, keyValue, worker, pool: 'default', logger });
  await bus.provision(controlTopology(names, worker));
  const handlers = {
    'are-you-there': (question: Parameters<Peers['answer']>[0]) => peers.answer(question),
    'i-am-here': (answer: Parameters<Peers['onAnswer']>[0]) => peers.onAnswer(answer),
  };
  await bus.consume(names.control(worker), { prefetch: 10, noAck: true }, controlHandler(handlers, logger));
  closings.push(() => peers.close());
  return peers;
}

async function twoExecutors() {
  const bus = new InterruptibleBus({ logger });
  closings.push(() => bus.close());
  const asker = await connect(bus, 'asker');
  await connect(bus, 'asked');
  return { bus, asker };
}

test('an executor answers since when it is connected', async () => {
  const startedAt = performance.now();
  const { asker } = await twoExecutors();
  const connectedAt = performance.now();
  await pause(50);
  const askedAt = performance.now();
  const { state, since } = await asker.ask('asked');
  const roundTrip = performance.now() - askedAt;
  expect(state).toBe('alive');
  expect(since).toBeGreaterThanOrEqual(startedAt);
  // The answer counts in whole milliseconds, and its way to the asker adds to it.
  expect(since).toBeLessThanOrEqual(connectedAt + roundTrip + 1);
});

test.each<BusState>(['disconnected', 'unreachable'])(
  'an answer between the states %s and connected does not claim the lost connection',
  async (state) => {
    const { bus, asker } = await twoExecutors();
    bus.report(state);
    const lostAt = performance.now();
    const between = await asker.ask('asked');
    expect(between.state).toBe('alive');
    expect(between.since).toBeGreaterThanOrEqual(lostAt);
    bus.report('connected');
    const after = await asker.ask('asked');
    expect(after.since).toBeGreaterThanOrEqual(lostAt);
  },
);

test('an executor without a control queue is missing, or disconnected if it reports that it is alive', async () => {
  const { asker } = await twoExecutors();
  expect(await asker.ask('third')).toMatchObject({ state: 'missing' });
  await keyValue.set('worker:third', JSON.stringify({ worker: 'third', isAway: true }));
  expect(await asker.ask('third')).toMatchObject({ state: 'disconnected' });
});

test('an executor that answers is one of those that are asked about runs', async () => {
  const { asker } = await twoExecutors();
  expect(asker.others).toEqual([]);
  await asker.ask('asked');
  expect(asker.others).toEqual(['asked']);
});

test('simultaneous questions share one ping', async () => {
  const { asker } = await twoExecutors();
  const [first, second] = await Promise.all([asker.ask('asked'), asker.ask('asked')]);
  expect(second).toBe(first);
});

test('executors of a pool know each other once one of them has asked all, or is connected again', async () => {
  const { bus, asker } = await twoExecutors();
  const asked = await connect(bus, 'third');
  const stranger = new Peers({ bus, names, keyValue, worker: 'stranger', pool: 'other', logger });
  closings.push(() => stranger.close());
  await asker.discoverAll();
  await until(() => asker.others.length === 2 && asked.others.length === 1);
  expect([asker.others.toSorted(), asked.others]).toEqual([['asked', 'third'], ['asker']]);
  await stranger.discoverAll();
  await connect(bus, 'fourth');
  asker.remove('third');
  bus.report('connected');
  await until(() => asker.others.length === 3);
  expect(asker.others.toSorted()).toEqual(['asked', 'fourth', 'third']);
});
