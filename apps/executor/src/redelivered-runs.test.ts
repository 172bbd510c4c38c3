import { controlTopology } from '@millrace/contracts';
import type { ControlMessage } from '@millrace/contracts';
import type { Database } from '@millrace/database';
import { openTestDatabase, openTestInstallation, until } from './testing/test-installation';
import type { TestInstallation } from './testing/test-installation';

/** Longer than silence was once taken for a death. */
const LONGER_MILLISECONDS = 1_000;

let database: Database;
let given: TestInstallation;

beforeAll(async () => {
  database = await openTestDatabase();
}, 60_000);

afterAll(() => database.close());

beforeEach(async () => {
  given = await openTestInstallation(database);
});

afterEach(() => given.close());

/** The queue of another executor, which stands as long as its connection does. */
const connectHolder = () => given.bus.provision(controlTopology(given.names, 'holder'));

/** What a holder does that lives and has time. */
const answerAsHolder = (connectedMilliseconds = 60_000) =>
  given.bus.consume(given.names.control('holder'), { prefetch: 10, noAck: true }, async ({ body }) => {
    const message = JSON.parse(body.toString()) as ControlMessage;
    if (message.kind !== 'are-you-there') return 'done';
    const { asker, pool, ping } = message;
    const answer = { kind: 'i-am-here', worker: 'holder', pool, ping, connectedMilliseconds };
    await given.bus.publish({
      exchange: '',
      routingKey: given.names.control(asker),
      body: Buffer.from(JSON.stringify(answer)),
      persistent: false,
      mandatory: false,
    });
    return 'done';
  });

const sayOfHolder = (state: object) =>
  given.keyValue.set('worker:holder', JSON.stringify({ worker: 'holder', answers: true, ...state }));

/** A run whose row says that the holder has it, and whose message came again. */
async function redelivered(): Promise<string> {
  const job = await given.accept(given.echo);
  await given.runs.claim([{ runId: job.runId, worker: 'holder', redelivered: false }]);
  await given.sendAgain(job);
  return job.runId;
}

const attemptOf = async (runId: string) => (await given.runs.find(given.userId, runId))?.attempt;
const pause = () => new Promise((resolve) => setTimeout(resolve, LONGER_MILLISECONDS));

test.each([
  ['has its connection and does not answer', async () => connectHolder(), { isAway: false }],
  ['has lost its connection and says that it lives', async () => undefined, { isAway: true }],
])('a run stays with the executor that holds it and %s', async (_what, connect, state) => {
  await connect();
  await sayOfHolder(state);
  const runId = await redelivered();
  await given.startExecutor('worker-1');
  await pause();
  expect(await given.runs.find(given.userId, runId)).toMatchObject({ status: 'running', attempt: 1 });
});

test('a run of an executor that has died is taken over', async () => {
  await sayOfHolder({ isAway: false });
  const runId = await redelivered();
  await given.startExecutor('worker-1');
  await until(async () => (await attemptOf(runId)) === 2, 'the run was not taken over');
});

test('a run is taken over from an executor that lives and has seen the question', async () => {
  await connectHolder();
  await answerAsHolder();
  const runId = await redelivered();
  await given.startExecutor('worker-1');
  await until(async () => (await attemptOf(runId)) === 2, 'the run was not taken over');
});

test('an executor that may have missed the question is asked again', async () => {
  await connectHolder();
  const answering = await answerAsHolder(0);
  const runId = await redelivered();
  await given.startExecutor('worker-1');
  await pause();
  expect(await attemptOf(runId)).toBe(1);
  await answering.close();
});

test('an executor of the version before, which does not answer, has time for what it knows', async () => {
  await connectHolder();
  await sayOfHolder({ answers: undefined });
  const runId = await redelivered();
  await given.startExecutor('worker-1');
  await until(async () => (await attemptOf(runId)) === 2, 'the run was not taken over');
});

test('a run without a row is begun again only when every executor has answered', async () => {
  await connectHolder();
  const job = given.job(given.echo, { deadline: Date.now() + 30_000 });
  const die = await given.sendToVictim(job);
  await given.startExecutor('worker-1');
  await given.control({ kind: 'are-you-there', asker: 'holder', pool: 'default', ping: 0 });
  const other = given.job(given.echo);
  await given.send(other);
  await given.finalReply(other.runId);
  await die();
  await pause();
  expect(given.finals(job.runId)).toHaveLength(0);
  await answerAsHolder();
  expect((await given.finalReply(job.runId)).headers['x-status']).toBe('succeeded');
});
