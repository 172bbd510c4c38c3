import { createHmac } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { forAllTests } from '@millrace/testing';
import { killProcesses } from './kill-processes';
import { startTestSystem } from '../system/test-system';

/** How long processes are killed, in seconds; increase it for a long manual run. */
const SECONDS = Number(process.env['TEST_TRIGGER_SECONDS'] ?? 12);
const SCHEDULES = 20;
const SENDERS = 4;

const system = forAllTests(() => startTestSystem({ pools: { default: 2 } }));

interface CreatedTrigger {
  readonly id: string;
}

async function createTrigger(body: object): Promise<CreatedTrigger> {
  const response = await system.post('/api/v1/triggers', body);
  if (response.status !== 201) throw new Error(`${response.status}: ${await response.text()}`);
  return (await response.json()) as CreatedTrigger;
}

/** Sends signed deliveries until the signal is aborted; resolves to how many were answered with 202. */
async function sendDeliveries(
  { url, secret }: { readonly url: string; readonly secret: string },
  stopped: AbortSignal,
): Promise<number> {
  let accepted = 0;
  let number = 0;
  const send = async () => {
    while (!stopped.aborted) {
      const body = `{"n":${++number}}`;
      const timestamp = String(Math.floor(Date.now() / 1_000));
      const digest = createHmac('sha256', secret).update(`v1:${timestamp}:${body}`).digest('hex');
      const headers = { 'x-langflow-timestamp': timestamp, 'x-langflow-signature': `v1=${digest}` };
      const { status } = await fetch(url, { method: 'POST', headers, body });
      if (status === 202) accepted += 1;
      await pause(500);
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, send));
  return accepted;
}

test('each occurrence and each accepted delivery has one run while processes are killed at random', async () => {
  const { id: flow } = await system.upload('echo');
  const config = { every_seconds: 1, catchup_policy: 'all', catchup_limit: 1_000, overlap_policy: 'allow' };
  const schedule = { flow_id: flow, kind: 'schedule', state: 'active', config };
  const schedules: CreatedTrigger[] = [];
  for (let index = 0; index < SCHEDULES; index += 1)
    schedules.push(await createTrigger({ ...schedule, name: `schedule ${index}` }));
  const hook = { flow_id: flow, name: 'hook', kind: 'inbound_webhook', concurrency_limit: 100 };
  const { id } = await createTrigger(hook);
  const made = (await (await system.post(`/api/v1/triggers/${id}/signing-secret`, {})).json()) as Record<
    string,
    string
  >;

  const stop = new AbortController();
  const killing = killProcesses(system, stop.signal);
  const sending = sendDeliveries(
    { url: made['ingress_url'] ?? '', secret: made['signing_secret'] ?? '' },
    stop.signal,
  );
  await pause(SECONDS * 1_000);
  stop.abort();
  const [kills, accepted] = await Promise.all([killing, sending]);
  for (const trigger of schedules) await system.post(`/api/v1/triggers/${trigger.id}/disable`, {});

  const giveUpAt = Date.now() + 120_000;
  const active = async () =>
    (
      await system.database.query(
        `SELECT count(*)::int AS count FROM runs WHERE flow_id = $1 AND status IN ('accepted','queued','running')`,
        [flow],
      )
    ).rows[0].count as number;
  while ((await active()) > 0 && Date.now() < giveUpAt) await pause(500);

  const ends = await system.database.query(
    `SELECT status, count(*)::int AS count FROM runs WHERE flow_id = $1 GROUP BY status`,
    [flow],
  );
  const gaps = await system.database.query(
    `SELECT trigger_id, count(*)::int AS events, count(DISTINCT dedupe_key)::int AS keys,
        extract(epoch FROM max(at) - min(at))::int + 1 AS occurrences
      FROM (SELECT trigger_id, dedupe_key, replace(dedupe_key, 'schedule:', '')::timestamptz AS at
        FROM trigger_events WHERE dedupe_key LIKE 'schedule:%') AS fired
      GROUP BY trigger_id`,
  );
  const deliveries = await system.database.query(
    `SELECT count(*)::int AS count FROM trigger_events WHERE trigger_id = $1`,
    [id],
  );
  const fired = gaps.rows.reduce((sum: number, row: { events: number }) => sum + row.events, 0);
  process.stdout.write(
    `${fired} occurrences, ${accepted} deliveries, ${kills} kills: ${JSON.stringify(ends.rows)}\n`,
  );
  expect(kills).toBeGreaterThan(0);
  expect(gaps.rows).toHaveLength(SCHEDULES);
  for (const row of gaps.rows as { events: number; keys: number; occurrences: number }[]) {
    expect(row.keys).toBe(row.events);
    expect(row.occurrences).toBe(row.events);
  }
  expect(fired).toBeGreaterThan((SCHEDULES * SECONDS) / 2);
  expect(deliveries.rows[0].count).toBe(accepted);
  expect(ends.rows).toEqual([{ status: 'succeeded', count: fired + accepted }]);
}, 300_000);
