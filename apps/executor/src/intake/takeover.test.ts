import { setTimeout as pause } from 'node:timers/promises';
import { controlHandler } from '@millrace/dispatch';
import { openKeyValueStore } from '@millrace/key-value';
import type { KeyValueStore } from '@millrace/key-value';
import { brokerNames, controlTopology } from '@millrace/messages';
import { BusUnavailableError, InProcessBus } from '@millrace/messaging';
import type { BusState, OutgoingMessage } from '@millrace/messaging';
import { recordingLogger, until } from '@millrace/service/testing';
import { Peers } from './peers';
import { Takeover } from './takeover';

const logger = recordingLogger();
const names = brokerNames('');
const runId = '018f0000-0000-7000-8000-000000000001';

class ReportingBus extends InProcessBus {
  isAway = false;
  readonly watchers: ((state: BusState) => void)[] = [];

  override publish(message: OutgoingMessage): Promise<void> {
    return this.isAway ? Promise.reject(new BusUnavailableError('away')) : super.publish(message);
  }

  override onStateChange(watcher: (state: BusState) => void): () => void {
    this.watchers.push(watcher);
    return () => undefined;
  }
}

let bus: ReportingBus;
let keyValue: KeyValueStore;
const opened: Peers[] = [];
beforeEach(async () => {
  bus = new ReportingBus({ logger });
  keyValue = await openKeyValueStore({ url: undefined, prefix: '', logger, name: 'takeover-test' });
});
afterEach(async () => {
  // Pings that go on end with a later one.
  await Promise.all(opened.splice(0).flatMap((peers) => peers.others.map((other) => peers.ask(other))));
  await bus.close();
  await keyValue.close();
});

type Answer = Parameters<Takeover['answer']>;

/** Opens an executor that answers the questions of others as `answer` says. */
async function open(worker: string, answer: (takeover: Takeover, question: Answer[0]) => Promise<void>) {
  const peers = new Peers({ bus, names, keyValue, worker, pool: 'default', logger });
  opened.push(peers);
  const takeover = new Takeover({ bus, names, worker, peers, logger });
  const report = bus.watchers.at(-1);
  const handlers = {
    'are-you-there': (question: Parameters<Peers['answer']>[0]) => takeover.answerPing(question),
    'i-am-here': (given: Parameters<Peers['onAnswer']>[0]) => peers.onAnswer(given),
    'who-runs': (question: Answer[0]) => answer(takeover, question),
    'i-run': (given: Parameters<Takeover['onAnswer']>[0]) => takeover.onAnswer(given),
  };
  await bus.provision(controlTopology(names, worker));
  await bus.consume(names.control(worker), { prefetch: 10, noAck: true }, controlHandler(handlers, logger));
  await peers.discoverAll();
  return { takeover, peers, lose: () => report?.('disconnected') };
}

test('of two executors that ask about one run, that whose name sorts first has it', async () => {
  const located: string[] = [];
  const openAsking = (worker: string) =>
    open(worker, (takeover, question) =>
      takeover.answer(question, { attempt: undefined, isInFlight: !located.includes(worker) }),
    );
  const [first, second] = [await openAsking('worker-1'), await openAsking('worker-2')];
  await until(() => first.peers.others.length === 1 && second.peers.others.length === 1);
  const locate = async (worker: string, takeover: Takeover) => {
    const location = await takeover.locate({ runId });
    if (location === 'elsewhere') located.push(worker);
    return location;
  };
  const found = await Promise.all([locate('worker-1', first.takeover), locate('worker-2', second.takeover)]);
  expect(found).toEqual(['nowhere', 'elsewhere']);
});

test('an executor that loses its connection after its question asks again', async () => {
  let questions = 0;
  const asking = await open('worker-1', async () => undefined);
  await open('worker-2', async (takeover, question) => {
    questions += 1;
    // This answer would be lost.
    if (questions === 1) asking.lose();
    else await takeover.answer(question, { attempt: 1, isInFlight: true });
  });
  // One that has connected after the question counts as one that can have missed it.
  await pause(50);
  expect(await asking.takeover.locate({ runId, holder: 'worker-2' })).toBe('elsewhere');
  expect(questions).toBe(2);
});

test('questions and answers that cannot be sent are logged', async () => {
  const { takeover, peers } = await open('worker-1', async () => undefined);
  bus.isAway = true;
  const [asker, pool] = ['worker-2', 'default'];
  await peers.discoverAll();
  await peers.answer({ kind: 'are-you-there', asker, pool, ping: 1 });
  peers.remove(asker);
  const question = { kind: 'who-runs', runId, attempt: 0, asker } as const;
  await takeover.answer(question, { attempt: 1, isInFlight: true });
  expect(await takeover.locate({ runId, timeoutMilliseconds: 0 })).toBe('unclear');
  const error = expect.any(BusUnavailableError);
  const expected = {
    'could not discover the other executors': { error },
    'could not notify another executor that this one is alive': { error, asker },
    'could not notify another executor that this one has the run': { error, runId, asker },
    'could not ask the other executors which of them executes a run': { error, runId },
  };
  for (const [message, fields] of Object.entries(expected))
    expect([message, logger.fieldsOf(message)[0]]).toEqual([message, fields]);
  bus.isAway = false;
});

test('an executor whose question has ended says that it has the run, also to one whose name sorts first', async () => {
  const openAnswering = (worker: string, isInFlight: boolean) =>
    open(worker, (takeover, question) => takeover.answer(question, { attempt: undefined, isInFlight }));
  const [first, second] = [await openAnswering('worker-1', false), await openAnswering('worker-2', true)];
  await until(() => first.peers.others.length === 1 && second.peers.others.length === 1);
  expect(await second.takeover.locate({ runId })).toBe('nowhere');
  expect(await first.takeover.locate({ runId })).toBe('elsewhere');
});
