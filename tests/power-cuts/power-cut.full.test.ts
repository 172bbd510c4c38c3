import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startServiceProcess } from '@millrace/scaled-system';
import type { ServiceProcess } from '@millrace/scaled-system';
import { Random } from '../simulation/random';
import { SimulatedDisk } from './simulated-disk';
import { readRecords } from './read-records';
import type { Change } from './read-records';

/** Number of power cuts; increase it for a long manual run. */
const CUTS = Number(process.env['MILLRACE_POWER_CUTS'] ?? 2);
const SEED = Number(process.env['MILLRACE_POWER_CUT_SEED'] ?? 1);
const SENDERS = 16;
/** Probabilities that an unsynced change is kept; each cut uses the next one. */
const KEEP_PROBABILITIES = [0, 0.5, 0.9];
const RUNS_DEADLINE_MILLISECONDS = 60_000;
const FIRST_ACCEPTANCE_DEADLINE_MILLISECONDS = 30_000;

const random = new Random(SEED);
let workFolder: string;
let disk: string;
let running: ServiceProcess | null = null;

beforeEach(() => {
  workFolder = mkdtempSync(join(tmpdir(), 'millrace-power-'));
  disk = join(workFolder, 'disk');
  mkdirSync(disk);
});
afterEach(async () => {
  running?.kill();
  await running?.exited;
  rmSync(workFolder, { recursive: true, force: true, maxRetries: 5 });
});

interface RunningServer {
  readonly service: ServiceProcess;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Kills the process and drops unsynced changes; resolves to all changes that it had made. */
  cut(kept: number): Promise<Change[]>;
}

/** Starts the bundle as `npm start` does, with embedded parts and the simulated disk. */
async function start(durability: string): Promise<RunningServer> {
  const records = mkdtempSync(join(workFolder, 'records-'));
  const model = new SimulatedDisk(disk);
  const service = await startServiceProcess({
    app: 'standalone',
    flags: ['--port', '0', '--data', join(disk, 'data'), '--durability', durability],
    environment: {
      DATABASE_URL: '',
      AMQP_URL: '',
      REDIS_URL: '',
      LOG_LEVEL: 'info',
      NODE_OPTIONS: `--require ${join(__dirname, 'record-writes.cjs')}`,
      RECORD_WRITES_BELOW: disk,
      RECORD_WRITES_TO: records,
    },
    print: () => undefined,
  });
  running = service;
  return {
    service,
    url: `http://127.0.0.1:${String(service.ready['port'])}`,
    headers: { 'x-api-key': readFileSync(join(disk, 'data', 'api-key'), 'utf8').trim() },
    async cut(kept) {
      service.kill();
      await service.exited;
      const changes = readRecords(records);
      model.apply(changes);
      model.cut(() => random.chance(kept));
      rmSync(records, { recursive: true });
      return changes;
    },
  };
}

/** Posts webhooks until it is stopped or the server is unreachable; adds the runs that were accepted. */
async function post({ url, headers }: RunningServer, accepted: string[], stop: AbortSignal): Promise<void> {
  await Promise.all(
    Array.from({ length: SENDERS }, async () => {
      while (!stop.aborted) {
        const answer = await fetch(`${url}/api/v1/webhook/order-webhook`, {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify({ customer: 'c', quantity: accepted.length, product: 'x' }),
        }).catch(() => undefined);
        const body = await answer?.json().catch(() => undefined);
        if (answer === undefined) return;
        if (answer.status === 202 && body !== undefined) accepted.push((body as { run_id: string }).run_id);
      }
    }),
  );
}

/** Posts webhooks, waits for the first acceptance and a while more, then cuts the power under load. */
async function acceptAndCut(server: RunningServer, kept: number): Promise<string[]> {
  const stop = new AbortController();
  const accepted: string[] = [];
  const posting = post(server, accepted, stop.signal);
  // A busy machine can take seconds for the first one. A server that accepts none fails the caller's expectation.
  const giveUpAt = Date.now() + FIRST_ACCEPTANCE_DEADLINE_MILLISECONDS;
  while (accepted.length === 0 && Date.now() < giveUpAt) await pause(5);
  await pause(random.between(0, 2_000));
  await server.cut(kept);
  stop.abort();
  await posting;
  return accepted;
}

/** Resolves to those of the runs that have not succeeded by the deadline. */
async function unsucceededRuns({ url, headers }: RunningServer, runs: readonly string[]): Promise<string[]> {
  const giveUpAt = Date.now() + RUNS_DEADLINE_MILLISECONDS;
  const remaining = [...runs];
  const lost: string[] = [];
  await Promise.all(
    Array.from({ length: SENDERS }, async () => {
      for (let run = remaining.pop(); run !== undefined; run = remaining.pop()) {
        const answer = await fetch(`${url}/api/v1/runs/${run}`, { headers });
        const { status } = (await answer.json()) as { status?: string };
        if (status === 'succeeded') continue;
        if (answer.status !== 200 || Date.now() > giveUpAt) lost.push(run);
        else {
          remaining.unshift(run);
          await pause(20);
        }
      }
    }),
  );
  return lost;
}

test(
  'power failures lose no accepted webhook',
  async () => {
    const accepted: string[] = [];
    let server = await start('fsync');
    for (let cut = 0; cut < CUTS; cut += 1) {
      const runs = await acceptAndCut(server, KEEP_PROBABILITIES[cut % KEEP_PROBABILITIES.length] ?? 0);
      expect(runs.length).toBeGreaterThan(0);
      accepted.push(...runs);
      server = await start('fsync');
      expect(await unsucceededRuns(server, runs)).toEqual([]);
    }
    expect(await unsucceededRuns(server, accepted)).toEqual([]);
    process.stdout.write(`${CUTS} power failures, ${accepted.length} webhooks accepted, none lost\n`);
    expect((await server.service.stop()).code).toBe(0);
  },
  120_000 + CUTS * 90_000,
);

test('commits that do not wait for the disk are lost in a power failure', async () => {
  const first = await start('fsync');
  expect((await first.service.stop()).code).toBe(0);
  const second = await start('process');
  const runs = await acceptAndCut(second, 0);
  expect(runs.length).toBeGreaterThan(0);
  const third = await start('fsync');
  expect(await unsucceededRuns(third, runs)).toHaveLength(runs.length);
}, 240_000);

test(
  'a power failure at any moment of the first start leaves a usable data folder',
  async () => {
    const changes = await (await start('fsync')).cut(1);
    for (let cut = 0; cut < CUTS; cut += 1) {
      for (const name of readdirSync(disk)) rmSync(join(disk, name), { recursive: true });
      const model = new SimulatedDisk(disk);
      model.apply(changes.slice(0, random.between(0, changes.length)));
      model.cut(() => random.chance(KEEP_PROBABILITIES[cut % KEEP_PROBABILITIES.length] ?? 0));
      const server = await start('fsync');
      const runs = await acceptAndCut(server, 0);
      expect(runs.length).toBeGreaterThan(0);
    }
  },
  120_000 + CUTS * 90_000,
);
