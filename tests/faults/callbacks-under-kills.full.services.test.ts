import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { forAllTests } from '@millrace/testing';
import { killProcesses } from './kill-processes';
import { startTestSystem } from '../system/test-system';

/** How many runs are reported; increase it for a long manual run. */
const RUNS = Number(process.env['TEST_CALLBACK_RUNS'] ?? 200);
/** How long the receiver is dead, in seconds: 5, and a minute in a long run. */
const DEAD_SECONDS = RUNS > 1_000 ? 60 : 5;
/** How long the reports may take after that, in seconds: a receiver that fails is left alone for 15 seconds and more. */
const PATIENCE_SECONDS = 180 + RUNS / 8;
const SENDERS = 8;
const KEY = Buffer.from('a secret of the receiver');
const SECRET = `whsec_${KEY.toString('base64')}`;
const FAILING = 0.3;
const STALLING = 0.05;

let outside = 0;

const system = forAllTests(() => startTestSystem({ pools: { default: 2 } }));

interface Report {
  readonly id: string;
  readonly body: string;
}

/** Receives reports, fails and stalls at random, and can be dead. */
class Receiver {
  readonly accepted: Report[] = [];
  /** The bytes of each id that arrived, also of attempts that failed. */
  readonly bodies = new Map<string, Set<string>>();
  isDead = false;
  attempts = 0;
  readonly #server = createServer((request, response) => void this.#receive(request, response));

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/reports`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.attempts += 1;
    if (this.isDead) return void request.socket.destroy();
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      return;
    }
    const body = Buffer.concat(chunks).toString();
    const id = String(request.headers['webhook-id']);
    const signed = `${id}.${String(request.headers['webhook-timestamp'])}.${body}`;
    const signature = `v1,${createHmac('sha256', KEY).update(signed).digest('base64')}`;
    if (request.headers['webhook-signature'] !== signature) return void response.writeHead(401).end();
    this.bodies.set(id, (this.bodies.get(id) ?? new Set()).add(body));
    const luck = Math.random();
    if (luck < FAILING) return void response.writeHead(500).end();
    // A stalled answer can come before the sender gives up, or never.
    if (luck < FAILING + STALLING) return;
    this.accepted.push({ id, body });
    response.writeHead(204).end();
  }
}

/** Starts runs by webhooks; resolves to the ids of those that were answered with 202. */
async function sendWebhooks(endpoint: string): Promise<string[]> {
  const accepted: string[] = [];
  let left = RUNS;
  const send = async () => {
    while (left > 0) {
      left -= 1;
      const response = await system.post(`/api/v1/webhook/${endpoint}`, { n: left });
      if (response.status === 202)
        accepted.push(((await response.json()) as { readonly run_id: string }).run_id);
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, send));
  return accepted;
}

const count = async (condition: string): Promise<number> =>
  (await system.database.query(`SELECT count(*)::int AS count FROM callback_deliveries WHERE ${condition}`))
    .rows[0].count as number;

test(
  'each run is reported at least once, under one id, while processes are killed and the receiver fails',
  async () => {
    const receiver = new Receiver();
    const url = await receiver.listen();
    const hidden = createServer((_request, response) => {
      outside += 1;
      response.end();
    }).listen(0, '127.0.0.2');
    await once(hidden, 'listening');
    hidden.on('connection', () => (outside += 1));
    const hiddenUrl = `http://127.0.0.2:${(hidden.address() as AddressInfo).port}/`;
    const variable = { name: 'RECEIVER', value: SECRET, type: 'Credential', default_fields: [] };
    expect((await system.post('/api/v1/variables/', variable)).status).toBe(201);
    const { id: flow, endpoint } = await system.upload('echo', (document) => {
      document.settings = {
        callbacks: [
          { url, secrets: ['RECEIVER'] },
          { url: hiddenUrl, secrets: ['RECEIVER'], on: ['finished'] },
        ],
      };
    });

    const stop = new AbortController();
    const killing = killProcesses(system, stop.signal);
    const runs = await sendWebhooks(endpoint);
    receiver.isDead = true;
    await pause(DEAD_SECONDS * 1_000);
    receiver.isDead = false;

    const pending = () => count(`due_at IS NOT NULL AND url LIKE '%/reports'`);
    const unended = async () =>
      (
        await system.database.query(
          `SELECT count(*)::int AS count FROM runs WHERE flow_id = $1 AND finished_at IS NULL`,
          [flow],
        )
      ).rows[0].count as number;
    const giveUpAt = Date.now() + PATIENCE_SECONDS * 1_000;
    while (((await unended()) > 0 || (await pending()) > 0) && Date.now() < giveUpAt) {
      // Pauses between attempts are shortened: an attempt that is under way can only be repeated by that.
      await system.database.query(
        `UPDATE callback_deliveries SET due_at = now() WHERE due_at > now() + interval '1 second'
        AND created_at < now() - interval '3 seconds'`,
      );
      await pause(1_000);
    }
    stop.abort();
    const kills = await killing;
    hidden.close();
    receiver.close();

    const { rows } = await system.database.query<{ id: string; run_id: string; state: string }>(
      `SELECT id, run_id, kind || CASE WHEN delivered_at IS NULL THEN ' pending' ELSE ' delivered' END AS state
      FROM callback_deliveries WHERE url LIKE '%/reports'`,
    );
    const received = new Set(receiver.accepted.map(({ id }) => id));
    process.stdout.write(
      `${runs.length} runs, ${kills} kills, ${receiver.attempts} attempts, ${receiver.accepted.length} accepted reports\n`,
    );
    expect(kills).toBeGreaterThan(0);
    expect(runs).toHaveLength(RUNS);
    expect(rows.map(({ run_id }) => run_id).sort()).toEqual(runs.toSorted());
    expect(new Set(rows.map(({ state }) => state))).toEqual(new Set(['finished delivered']));
    expect([...received].sort()).toEqual(rows.map(({ id }) => id).sort());
    for (const bodies of receiver.bodies.values()) expect(bodies.size).toBe(1);
    expect(outside).toBe(0);
    expect(await count(`url NOT LIKE '%/reports' AND delivered_at IS NOT NULL`)).toBe(0);
  },
  400_000 + RUNS * 200,
);
