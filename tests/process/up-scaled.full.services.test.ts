import { execFileSync, spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import type { Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRunning } from '@millrace/service';
import { until } from '@millrace/service/testing';
import { Client } from 'pg';

const ROOT = join(__dirname, '..', '..');
/** The command of the package; the clone has its folders. */
const COMMAND = join(ROOT, 'deploy', 'package', 'millrace.mjs');
const name = `millrace_up_${randomBytes(6).toString('hex')}`;
const database = new URL(process.env['DATABASE_URL'] ?? '');
database.pathname = `/${name}`;
const environment = { ...process.env, DATABASE_URL: database.href, MILLRACE_PREFIX: name, LOG_LEVEL: 'info' };
const folder = mkdtempSync(join(tmpdir(), 'millrace-up-'));
const administrator = new Client({ connectionString: process.env['DATABASE_URL'] });
let command: ChildProcess | undefined;
let output = '';

beforeAll(async () => {
  const add = "import('./tools/release/package-scaled.mjs').then((code) => code.addScaledProgram('.'))";
  execFileSync(process.execPath, ['-e', add], { cwd: ROOT, timeout: 60_000 });
  await administrator.connect();
  await administrator.query(`CREATE DATABASE ${name} ENCODING 'UTF8' TEMPLATE template0`);
}, 120_000);

afterAll(async () => {
  command?.kill('SIGKILL');
  for (const pid of servicesOf(command)) process.kill(pid, 'SIGKILL');
  await administrator.query(`DROP DATABASE ${name} WITH (FORCE)`);
  await administrator.end();
  rmSync(folder, { recursive: true, force: true });
});

function start(): Promise<number | null> {
  output = '';
  const started = spawn(process.execPath, [COMMAND, 'up', '--scaled', '--port', '0', '--executors', '1'], {
    cwd: folder,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  command = started;
  for (const stream of [started.stdout, started.stderr])
    stream.on('data', (text) => (output += String(text)));
  return new Promise((resolve) => started.once('exit', resolve));
}

function servicesOf(parent: ChildProcess | undefined): number[] {
  try {
    const pids = readFileSync(`/proc/${parent?.pid}/task/${parent?.pid}/children`, 'utf8').trim();
    return pids === '' ? [] : pids.split(' ').map(Number);
  } catch {
    return [];
  }
}

test('starts the services, starts each again that is killed, and stops all', async () => {
  const ended = start();
  await until(() => output.includes('Ctrl-C stops everything.\n'), 'the greeting');
  const url = /Millrace +(http:\S+), with 1 executor/.exec(output)?.[1] ?? '';
  const key = readFileSync(join(folder, '.millrace', 'scaled-api-key'), 'utf8').trim();
  const run = () =>
    fetch(`${url}/api/v1/run/echo`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: '{"input_value": "hello"}',
    }).then(
      ({ status }) => status,
      () => 0,
    );
  expect(await run()).toBe(200);
  const first = servicesOf(command);
  expect(first).toHaveLength(3);
  for (const pid of first) process.kill(pid, 'SIGKILL');
  await until(() => (output.match(/ ended \(SIGKILL\); starting it again\n/g) ?? []).length === 3);
  await until(async () => (await run()) === 200, 'an answer of the services that were started again');
  const second = servicesOf(command);
  expect(second).toHaveLength(3);
  command?.kill('SIGTERM');
  expect(await ended).toBe(0);
  expect([...first, ...second].filter(isRunning)).toEqual([]);
}, 180_000);

test('a service that cannot be started again ends the command with 1', async () => {
  const ended = start();
  await until(() => output.includes('Ctrl-C stops everything.\n'), 'the greeting');
  const port = Number(/Millrace +http:\S+:(\d+)/.exec(output)?.[1]);
  const services = servicesOf(command);
  process.kill(services[0] ?? NaN, 'SIGKILL');
  let other: Server | undefined;
  // Another program takes the port of the gateway.
  await until(
    () =>
      new Promise((resolve) => {
        other = createServer().once('error', () => resolve(false));
        other.listen(port, '127.0.0.1', () => resolve(true));
      }),
    'the port of the gateway',
  );
  expect(await ended).toBe(1);
  other?.close();
  expect(output).toContain('\ngateway ended 5 times in a row within a minute of its start.\n');
  expect(services.filter(isRunning)).toEqual([]);
}, 180_000);

test('services end when the command is killed', async () => {
  const ended = start();
  await until(() => output.includes('Ctrl-C stops everything.\n'), 'the greeting');
  const services = servicesOf(command);
  expect(services).toHaveLength(3);
  command?.kill('SIGKILL');
  await ended;
  await until(() => !services.some(isRunning), 'the end of the services');
}, 180_000);

test('a signal during the start ends the services that are starting', async () => {
  const ended = start();
  await until(() => servicesOf(command).length > 0, 'a service that is starting');
  const [gateway = 0] = servicesOf(command);
  command?.kill('SIGTERM');
  expect(await ended).toBe(0);
  expect(isRunning(gateway)).toBe(false);
}, 120_000);

test('a server that is missing or does not answer, and a wrong option, end the command with a sentence', () => {
  const run = (words: readonly string[], variables: Record<string, string>) =>
    spawnSync(process.execPath, [COMMAND, 'up', '--scaled', ...words], {
      cwd: folder,
      env: { ...environment, ...variables },
      encoding: 'utf8',
      timeout: 60_000,
    });
  const away = run(['--port', '0'], { AMQP_URL: 'amqp://127.0.0.1:1' });
  expect([away.status, away.stderr]).toEqual([
    1,
    'RabbitMQ in AMQP_URL does not answer: connect ECONNREFUSED 127.0.0.1:1\n',
  ]);
  const wrong = run(['--demo'], {});
  expect(wrong.status).toBe(64);
  expect(wrong.stderr).toMatch(/^--demo is not an option/);
});
