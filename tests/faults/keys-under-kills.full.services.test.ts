import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { killGateways, killProcesses } from './kill-processes';
import { startTestSystem } from '../system/test-system';
import type { TestSystem } from '../system/test-system';

/** The least number of keys; increase it for a long manual run. */
const KEYS = Number(process.env['TEST_SENT_KEYS'] ?? 60);
/** Where no kill has met a request, more keys are sent, up to this number. */
const MOST_KEYS = 20 * KEYS;
/** Requests with each key. */
const SENDERS = 4;
const KEYS_AT_ONCE = 8;
const GIVE_UP_MILLISECONDS = 120_000;

let system: TestSystem;

beforeAll(async () => {
  system = await startTestSystem({ pools: { default: 2 } });
}, 120_000);

afterAll(() => system?.stop(), 60_000);

interface Answer {
  readonly runId: string | null;
  readonly text: string;
}

test('requests with one key are one run with one answer while gateways, ingest services and executors are killed', async () => {
  const { id, endpoint } = await system.upload('chat');
  const stop = new AbortController();
  const gateways = killGateways(system, stop.signal);
  const killing = killProcesses(system, stop.signal);
  let repeated = 0;
  const ask = async (key: string, gateway: () => string): Promise<Answer> => {
    for (const giveUpAt = Date.now() + GIVE_UP_MILLISECONDS; ;) {
      try {
        const response = await fetch(`${gateway()}/api/v1/run/${endpoint}`, {
          method: 'POST',
          headers: { ...system.headers, 'idempotency-key': key },
          body: JSON.stringify({ input_value: `[[delay=200]]${key}`, session_id: key }),
        });
        const text = await response.text();
        if (response.status === 200) return { runId: response.headers.get('x-run-id'), text };
        if (response.status < 500 && response.status !== 429) throw new RangeError(text);
        throw new Error(text);
      } catch (error) {
        if (error instanceof RangeError || Date.now() > giveUpAt) throw error;
        repeated += 1;
        await pause(50);
      }
    }
  };
  let sent = 0;
  const answers = new Map<string, readonly Answer[]>();
  await Promise.all(
    Array.from({ length: KEYS_AT_ONCE }, async () => {
      while (sent < KEYS || (repeated === 0 && sent < MOST_KEYS)) {
        sent += 1;
        const key = randomUUID();
        const asked = Array.from({ length: SENDERS }, (_, number) =>
          ask(key, () => (number % 2 === 0 ? system.url : gateways.kills.url)),
        );
        answers.set(key, await Promise.all(asked));
      }
    }),
  );
  stop.abort();
  const [kills] = await Promise.all([killing, gateways.done]);
  process.stdout.write(
    `${sent} keys, ${SENDERS} requests each, ${repeated} repeated, ${kills + gateways.kills.count} kills\n`,
  );
  const { rows } = await system.database.query<{ key: string; runs: number; ids: string[]; ends: string[] }>(
    `SELECT session_id AS key, count(*)::int AS runs, array_agg(id) AS ids, array_agg(status) AS ends
      FROM runs WHERE flow_id = $1 GROUP BY session_id`,
    [id],
  );
  expect(rows).toHaveLength(sent);
  for (const { key, runs, ids, ends } of rows) {
    const [first, ...others] = answers.get(key) ?? [];
    expect([runs, ends]).toEqual([1, ['succeeded']]);
    expect(first?.runId).toBe(ids[0]);
    for (const other of others) expect(other).toEqual(first);
  }
  expect(gateways.kills.count).toBeGreaterThan(0);
  expect(repeated).toBeGreaterThan(0);
}, 300_000);
