import type { Database } from '@millrace/database';
import { EffectStore } from '@millrace/runs';
import type { Job } from '@millrace/messages';
import { createLogger } from '@millrace/service';
import { until } from '@millrace/service/testing';
import { postingFlow } from '../testing/flow-document';
import { openTestDatabase, openTestInstallation } from '../testing/test-installation';
import type { TestInstallation } from '../testing/test-installation';
import { RecordedEffects } from './recorded-effects';
import type { RecordedEffectsOptions } from './recorded-effects';

let database: Database;
let given: TestInstallation;
let effects: EffectStore;

beforeAll(async () => {
  database = await openTestDatabase();
  effects = new EffectStore({ database });
}, 60_000);

afterAll(() => database.close());

beforeEach(async () => {
  given = await openTestInstallation(database);
});

afterEach(() => given.close());

/** A run whose first attempt crashed before, during or after its request. */
async function afterCrash(
  progress: 'before' | 'during' | 'after',
  settings: { readonly unfinishedEffects?: 'retry' | 'fail' } = {},
): Promise<Job> {
  const flow = await given.flows.create(given.userId, { name: 'posts', document: postingFlow, settings });
  const job = await given.accept(flow);
  await given.runs.claim([{ runId: job.runId, worker: 'dead', redelivered: false }]);
  const place = { runId: job.runId, vertexId: 'APIRequest-a', name: 'request', ordinal: 1 };
  if (progress !== 'before') await effects.begin(place, 1);
  if (progress === 'after') await effects.finish(place, 1, '{"status_code": 201, "result": "kept"}');
  await given.sendAsRedelivery(job);
  return job;
}

/** The effects of an attempt, as its components perform them. */
function effectsOf(attempt: Pick<RecordedEffectsOptions, 'runId' | 'flowId' | 'attempt' | 'steps'>) {
  const logger = createLogger({ name: 'effects-test', level: 'silent' });
  return new RecordedEffects({ ...attempt, store: effects, signal: new AbortController().signal, logger });
}

const resultOf = async (job: Job) => {
  const { headers, body } = await given.finalReply(job.runId);
  return `${String(headers['x-status'])} ${body.toString()}`;
};

test('an effect that an earlier attempt has finished is not repeated, and its result is used', async () => {
  const job = await afterCrash('after');
  await given.startExecutor('worker-1');
  expect(await resultOf(job)).toMatch(/^succeeded .*kept/);
  expect(given.model.requestCount).toBe(0);
});

test.each(['before', 'during'] as const)(
  'after a crash %s the request, it is sent (again)',
  async (progress) => {
    const job = await afterCrash(progress);
    await given.startExecutor('worker-1');
    await until(() => given.model.waiting === 1, 'the request was not sent');
    given.model.answer('fresh');
    expect(await resultOf(job)).toMatch(/^succeeded .*fresh/);
    const place = { runId: job.runId, vertexId: 'APIRequest-a', name: 'request', ordinal: 1 };
    const { rows } = await database.query<{ result: string }>({
      text: 'SELECT result FROM run_effects WHERE run_id = $1 AND vertex_id = $2',
      values: [place.runId, place.vertexId],
    });
    expect(rows).toHaveLength(1);
    expect(rows[0]?.result).toMatch(/^v1\.(?!.*fresh)/);
  },
);

test('a flow can require failure instead of a second try', async () => {
  const job = await afterCrash('during', { unfinishedEffects: 'fail' });
  await given.startExecutor('worker-1');
  expect(await resultOf(job)).toMatch(/^failed .*the flow does not allow repeating it/);
  expect(given.model.requestCount).toBe(0);
});

test('an effect that finishes during a database outage is recorded after it', async () => {
  const flow = await given.flows.create(given.userId, { name: 'posts', document: postingFlow });
  await given.startExecutor('worker-1');
  const job = await given.accept(flow);
  await given.send(job);
  await until(() => given.model.waiting === 1, 'the request was not sent');
  given.database.isAway = true;
  given.model.answer('once');
  const { refusedStatements } = given.database;
  await until(
    () => given.database.refusedStatements > refusedStatements + 1,
    'the effect was not tried again',
  );
  given.database.isAway = false;
  expect(await resultOf(job)).toMatch(/^succeeded .*once/);
  expect(await given.runs.find(given.userId, job.runId)).toMatchObject({ attempt: 1 });
  expect(given.model.requestCount).toBe(1);
});

test.each(['53100', '25006', '40P01'])(
  'an effect that meets SQLSTATE %s is recorded in the same attempt when the database works again',
  async (state) => {
    const flow = await given.flows.create(given.userId, { name: `posts-${state}`, document: postingFlow });
    const job = await given.accept(flow);
    await database.query({
      // A transaction that fails keeps what it took from a sequence.
      text: `CREATE SEQUENCE refusals; CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN PERFORM nextval('refusals'); RAISE EXCEPTION 'refused' USING ERRCODE = '${state}'; END $$;
        CREATE TRIGGER refuse BEFORE INSERT ON run_effects EXECUTE FUNCTION refuse()`,
    });
    await given.startExecutor('worker-1');
    await given.send(job);
    const refusals = async () =>
      (await database.query<{ count: string }>({ text: 'SELECT last_value AS count FROM refusals' })).rows[0]
        ?.count;
    await until(async () => Number(await refusals()) > 1, 'the effect was not tried again');
    expect(given.finals(job.runId)).toEqual([]);
    expect(given.model.requestCount).toBe(0);
    await database.query({ text: 'DROP FUNCTION refuse CASCADE; DROP SEQUENCE refusals' });
    await until(() => given.model.waiting === 1, 'the request was not sent');
    given.model.answer('once');
    expect(await resultOf(job)).toMatch(/^succeeded .*once/);
    expect(await given.runs.find(given.userId, job.runId)).toMatchObject({ attempt: 1 });
  },
);

test.each([
  ['recorded', 1],
  ['returned, and not recorded', 17],
])('the result of an effect is %s with a size of %i mebibytes', async (_what, mebibytes) => {
  const { runId, flowId } = await given.accept(given.echo);
  await given.runs.claim([{ runId, worker: 'one', redelivered: false }]);
  const ofRun = effectsOf({ runId, flowId, attempt: 1 });
  const result = 'x'.repeat(mebibytes * 1024 * 1024);
  expect(await ofRun.once('a', 'large', async () => result)).toBe(result);
  const place = { runId, vertexId: 'a', name: 'large', ordinal: 1 };
  const { state } = await effects.begin(place, 1);
  expect(state).toBe(mebibytes > 16 ? 'unfinished' : 'done');
});

test('a flow can turn the recording of steps off; its effects are recorded', async () => {
  const { runId, flowId } = await given.accept(given.echo);
  await given.runs.claim([{ runId, worker: 'one', redelivered: false }]);
  const first = { runId, flowId, attempt: 1 };
  for (const steps of ['on', 'off'] as const) {
    const ofRun = effectsOf({ ...first, steps });
    await ofRun.recordStep('a', `step ${steps}`, 'answer');
    await ofRun.once('a', `effect ${steps}`, async () => 'done');
  }
  const { rows } = await database.query<{ name: string }>({
    text: 'SELECT name FROM run_effects WHERE run_id = $1 ORDER BY name',
    values: [runId],
  });
  expect(rows.map(({ name }) => name)).toEqual(['effect off', 'effect on', 'step step on']);
  const second = { runId, flowId, attempt: 2 };
  expect(await effectsOf({ ...second, steps: 'off' }).findStep('a', 'step on')).toBeUndefined();
  expect(await effectsOf({ ...second, steps: 'on' }).findStep('a', 'step on')).toBe('answer');
});

test('an effect of an attempt that does not own its run is not performed', async () => {
  const { runId, flowId } = await given.accept(given.echo);
  await given.runs.claim([{ runId, worker: 'one', redelivered: false }]);
  const ofRun = effectsOf({ runId, flowId, attempt: 2 });
  let isPerformed = false;
  const performed = ofRun.once('a', 'fenced', async () => {
    isPerformed = true;
    return 'x';
  });
  await expect(performed).rejects.toMatchObject({ code: 'internal', permanent: true });
  expect(isPerformed).toBe(false);
});

test('the effects of a run without a row are not recorded', async () => {
  const flow = await given.flows.create(given.userId, { name: 'posts', document: postingFlow });
  await given.startExecutor('worker-1');
  const job = given.job(flow);
  await given.send(job);
  await until(() => given.model.waiting === 1, 'the request was not sent');
  given.model.answer('fast');
  expect(await resultOf(job)).toMatch(/^succeeded/);
  const { rows } = await database.query({
    text: 'SELECT 1 FROM run_effects WHERE run_id = $1',
    values: [job.runId],
  });
  expect(rows).toEqual([]);
});
