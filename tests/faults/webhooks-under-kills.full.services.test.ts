import { setTimeout as pause } from 'node:timers/promises';
import { forAllTests } from '@millrace/testing';
import { startTestSystem } from '../system/test-system';

/** Number of webhooks to post; increase it for a long manual run. */
const WEBHOOKS = Number(process.env['MILLRACE_CHAOS_WEBHOOKS'] ?? 3_000);
const CALLERS = 32;
const BETWEEN_KILLS_MILLISECONDS = 700;
const EXECUTORS = 3;

const system = forAllTests(() =>
  startTestSystem({ pools: { default: EXECUTORS }, environment: { LOG_LEVEL: 'info' } }),
);

/** Repeatedly kills a random executor and starts a new one in its place, until the signal is aborted. */
async function killExecutors(stopped: AbortSignal): Promise<number> {
  let kills = 0;
  while (!stopped.aborted) {
    await pause(BETWEEN_KILLS_MILLISECONDS);
    const place = Math.floor(Math.random() * EXECUTORS);
    const victim = system.executors[place];
    if (!victim) throw new Error('an executor is missing');
    victim.kill();
    await victim.exited;
    kills += 1;
    system.executors[place] = await system.startExecutor();
  }
  return kills;
}

async function postAll(endpoint: string): Promise<Set<string>> {
  const accepted = new Set<string>();
  let next = 0;
  await Promise.all(
    Array.from({ length: CALLERS }, async () => {
      while (next < WEBHOOKS) {
        const number = next++;
        const response = await system.post(`/api/v1/webhook/${endpoint}`, {
          customer: `c${number}`,
          quantity: number,
          product: 'x',
        });
        if (response.status === 202) accepted.add(((await response.json()) as { run_id: string }).run_id);
        else await response.arrayBuffer();
      }
    }),
  );
  return accepted;
}

test('every acknowledged webhook ends in exactly one state while executors are killed at random', async () => {
  const { id, endpoint } = await system.upload('order-webhook');
  const stop = new AbortController();
  const killing = killExecutors(stop.signal);
  const accepted = await postAll(endpoint);
  stop.abort();
  const kills = await killing;
  expect(accepted.size).toBe(WEBHOOKS);

  const giveUpAt = Date.now() + 120_000;
  const count = async (where: string) =>
    Number(
      (await system.database.query(`SELECT count(*) FROM runs WHERE flow_id = $1 AND ${where}`, [id])).rows[0]
        .count,
    );
  while ((await count(`status IN ('accepted','queued','running')`)) > 0 && Date.now() < giveUpAt)
    await pause(500);

  const ends = await system.database.query(
    `SELECT status, count(*) FROM runs WHERE flow_id = $1 GROUP BY status`,
    [id],
  );
  const attempts = await system.database.query(
    `SELECT max(attempt) AS highest FROM runs WHERE flow_id = $1`,
    [id],
  );
  process.stdout.write(
    `${WEBHOOKS} webhooks, ${kills} kills: ${JSON.stringify(ends.rows)}, highest attempt ${attempts.rows[0].highest}\n`,
  );
  expect(ends.rows).toEqual([{ status: 'succeeded', count: String(WEBHOOKS) }]);
  const rows = await system.database.query(`SELECT id FROM runs WHERE flow_id = $1`, [id]);
  expect(new Set(rows.rows.map((row: { id: string }) => row.id))).toEqual(accepted);
  const doubled = await system.database.query(
    `SELECT run_id FROM messages WHERE flow_id = $1 GROUP BY run_id HAVING count(*) <> 1`,
    [id],
  );
  expect(doubled.rows).toEqual([]);
  expect(kills).toBeGreaterThan(0);
}, 300_000);
