import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Encryption, openOutsideSecrets, VariableStore } from '@millrace/runs';
import { createLogger } from '@millrace/service';
import { until } from '@millrace/service/testing';
import { flowData, node } from '@millrace/testing';
import { installForEachTest } from '../testing/install-for-tests';

const root = mkdtempSync(join(tmpdir(), 'millrace-outside-'));
const folder = join(root, 'mounted');

const given = installForEachTest();
beforeEach(async () => {
  mkdirSync(join(folder, given.userId), { recursive: true });
  const { database, metrics } = given;
  const logger = createLogger({ name: 'test', level: 'silent' });
  const setting = JSON.stringify({ folder });
  await given.startExecutor('worker-1', {
    variables: new VariableStore({
      database,
      encryption: Encryption.from([Buffer.alloc(32, 7).toString('base64')]),
      outside: openOutsideSecrets({ setting, logger, metrics }),
    }),
  });
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Runs a flow whose text is the variable of this name; resolves to its record. */
async function run(name: string) {
  const template = { type: 'str', display_name: 'Template', show: true, load_from_db: true, value: name };
  const document = flowData(
    [node('Prompt-p', { template }, 'prompt'), node('ChatOutput-o', { session_id: '' }, 'message')],
    ['Prompt-p.prompt > ChatOutput-o.input_value'],
  );
  const flow = await given.flows.create(given.userId, { name, document });
  const job = await given.accept(flow, { maximumAttempts: 1 });
  await given.send(job);
  const find = () => given.runs.find(given.userId, job.runId);
  await until(async () => /^(succeeded|failed|dead)$/.test((await find())?.status ?? ''));
  return find();
}

test('a variable that the user has not stored comes from outside, and is stored nowhere', async () => {
  writeFileSync(join(folder, given.userId, 'GREETING'), 'a secret greeting');
  expect(await run('GREETING')).toMatchObject({ status: 'succeeded' });
  const { rows } = await given.database.query({ text: 'SELECT 1 FROM variables' });
  expect(rows).toEqual([]);
});

test('a name that neither user, store nor environment has fails its run and is named', async () => {
  expect(await run('MISSING')).toMatchObject({
    status: 'failed',
    failure: {
      code: 'component_failed',
      message: expect.stringContaining('The variable MISSING does not exist'),
    },
  });
});

test('a run that needs a store which is away fails for that reason', async () => {
  renameSync(folder, join(root, 'away'));
  try {
    const failed = await run('GREETING');
    expect(failed?.failure).toMatchObject({
      code: 'secret_store_unavailable',
      message: 'The store of secrets does not answer.',
    });
    expect(await given.metrics.prometheusText()).toMatch(
      /^millrace_secret_reads_total\{outcome="failed"\} [1-9]/m,
    );
  } finally {
    renameSync(join(root, 'away'), folder);
  }
});
