import { setTimeout as pause } from 'node:timers/promises';
import { startPgbouncer } from '@millrace/scaled-system';
import type { Pgbouncer } from '@millrace/scaled-system';
import { until, untilSuccess } from '@millrace/service/testing';
import { startTestSystem } from './test-system';
import type { TestSystem } from './test-system';

const WEBHOOKS = 100;
const RUNS = 60;
const KEYED = 40;
/** Fewer than the connections of the services, so that transactions of one client use different server connections. */
const SERVER_CONNECTIONS = 6;
const WAIT_MILLISECONDS = 60_000;

describe.each([
  ['transaction', SERVER_CONNECTIONS],
  ['session', 60],
] as const)('behind PgBouncer in %s mode', (mode, poolSize) => {
  let pooler: Pgbouncer | undefined;
  let system: TestSystem;

  beforeAll(async () => {
    const program = process.env['PGBOUNCER'];
    if (!program) throw new Error('PGBOUNCER is not set: npm test finds or installs the program');
    system = await startTestSystem({
      environment: { LOG_LEVEL: 'info' },
      async route(urls) {
        pooler = await startPgbouncer({
          program,
          databaseUrl: urls.database,
          mode,
          settings: { default_pool_size: poolSize },
        });
        return { ...urls, database: pooler.url };
      },
    });
  }, 180_000);

  afterAll(async () => {
    await system?.stop();
    await pooler?.stop();
  }, 60_000);

  const statusesOf = (answers: readonly Response[]) => [...new Set(answers.map(({ status }) => status))];
  const webhook = (id: string) => system.post(`/api/v1/webhook/${id}`, { text: 'hello' });
  // On a busy machine a connection can take longer than a request waits for it; the key makes it safe to send it again.
  const keyedRun = (endpoint: string, key: string) =>
    untilSuccess(async () => {
      const headers = { ...system.headers, 'idempotency-key': key };
      const answer = await system.post(`/api/v1/run/${endpoint}`, { input_value: 'x' }, { headers });
      if (answer.status === 503) throw new Error(await answer.text());
      return answer;
    });
  const countEnded = async () => {
    const { rows } = await system.database.query<{ status: string; count: number }>(
      `SELECT status, count(*)::int AS count FROM runs WHERE origin = 'webhook' GROUP BY status`,
    );
    return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
  };

  const isReadyz = (status: number) =>
    fetch(`${system.url}/readyz`).then(
      (response) => response.status === status,
      () => false,
    );

  test('services start, detect the pooler, and run webhooks, interactive runs and runs with an idempotency key', async () => {
    const flow = await system.upload('echo');
    const [webhooks, runs, keyed] = await Promise.all([
      Promise.all(Array.from({ length: WEBHOOKS }, () => webhook(flow.id))),
      Promise.all(
        Array.from({ length: RUNS }, () => system.post(`/api/v1/run/${flow.endpoint}`, { input_value: 'x' })),
      ),
      Promise.all(
        Array.from({ length: KEYED }, (_, number) => keyedRun(flow.endpoint, `key-${number % 20}`)),
      ),
    ]);
    expect([statusesOf(webhooks), statusesOf(runs), statusesOf(keyed)]).toEqual([[202], [200], [200]]);
    await until(
      async () => (await countEnded())['succeeded'] === WEBHOOKS,
      'not every webhook ended as succeeded',
      WAIT_MILLISECONDS,
    );
    expect((await fetch(`${system.url}/readyz`)).status).toBe(200);
    expect(system.lines.filter((line) => line.includes('behind a connection pooler'))).toHaveLength(3);
  }, 120_000);

  test('terminated server connections lose no accepted run', async () => {
    const flow = await system.upload('echo');
    let isOver = false;
    const terminating = (async () => {
      for (let times = 0; times < 10; times += 1) {
        await pause(200);
        await system.database.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid()`,
        );
      }
      isOver = true;
    })();
    const accepted: string[] = [];
    while (!isOver || accepted.length === 0) {
      const answer = await webhook(flow.id);
      expect([202, 503]).toContain(answer.status);
      if (answer.status === 202) accepted.push(String(answer.headers.get('x-run-id')));
      else expect(answer.headers.get('retry-after')).not.toBeNull();
    }
    await terminating;
    const areAllEnded = async () => {
      const { rows } = await system.database.query<{ count: number }>(
        `SELECT count(*)::int AS count FROM runs WHERE id = ANY ($1) AND status = 'succeeded'`,
        [accepted],
      );
      return rows[0]?.count === accepted.length;
    };
    await until(
      () => areAllEnded().catch(() => false),
      'not every accepted webhook ended as succeeded',
      WAIT_MILLISECONDS,
    );
  }, 120_000);

  test('services are not ready while the pooler is down', async () => {
    await pooler?.kill();
    await until(() => isReadyz(503), 'still ready', WAIT_MILLISECONDS);
    const flow = { status: (await system.post('/api/v1/run/none', {})).status };
    expect(flow.status).toBe(503);
    await pooler?.start();
    await until(() => isReadyz(200), 'not ready again', WAIT_MILLISECONDS);
  }, 120_000);
});
