import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServiceProcess } from '@millrace/scaled-system';
import type { ServiceProcess } from '@millrace/scaled-system';

const root = join(__dirname, '..', '..');
const program = join(root, 'dist', 'apps', 'standalone', 'main.cjs');
/** Length of the prefix that `startServiceProcess` adds to each line. */
const PREFIX = 'standalone'.padEnd(12).length + 1;
const embedded = { DATABASE_URL: '', AMQP_URL: '', REDIS_URL: '', MILLRACE_BOOTSTRAP_API_KEY: '' };

let folder: string;
let running: ServiceProcess | undefined;

beforeEach(() => {
  // Unquoted, a shell would split this name into three words and run a command.
  folder = join(mkdtempSync(join(tmpdir(), 'millrace-first-start-')), "Ann's $(mill) data");
});

afterEach(async () => {
  await running?.stop();
  running = undefined;
  rmSync(join(folder, '..'), { recursive: true });
});

interface Started {
  readonly url: string;
  readonly lines: readonly string[];
  /** The lines of the banner that are commands. */
  readonly commands: readonly string[];
}

async function start(
  flags: readonly string[] = [],
  environment: Record<string, string> = {},
): Promise<Started> {
  await running?.stop();
  const lines: string[] = [];
  running = await startServiceProcess({
    app: 'standalone',
    flags: ['--port', '0', '--data', folder, ...flags],
    environment: { ...embedded, LOG_LEVEL: 'info', ...environment },
    print: (line) => lines.push(line.slice(PREFIX)),
  });
  return {
    url: `http://127.0.0.1:${String(running.ready['port'])}`,
    lines,
    commands: lines.filter((line) => line.startsWith('  ')),
  };
}

interface Ended {
  readonly code: number | null;
  readonly output: string;
  readonly faults: string;
}

function run(
  file: string,
  words: readonly string[],
  environment: Record<string, string> = {},
): Promise<Ended> {
  return new Promise((resolve) => {
    const env = { ...process.env, ...embedded, MILLRACE_API_KEY: '', ...environment };
    const options = { cwd: tmpdir(), env, timeout: 600_000 };
    const child = execFile(file, words, options, (_, output, faults) =>
      resolve({ code: child.exitCode, output, faults }),
    );
  });
}

/** Runs lines in a shell with only the given variables set. */
const runCommands = (commands: readonly string[], environment: Record<string, string> = {}) =>
  run('sh', ['-c', commands.join('\n')], environment);

const showKey = () => run(process.execPath, [program, '--data', folder, '--show-key']);

/** Runs all commands of a banner and checks the output of each one. */
async function expectCommandsToWork(
  { commands, url }: Started,
  environment: Record<string, string> = {},
): Promise<void> {
  const [take = '', chooseServer, ...calls] = commands;
  expect(chooseServer).toBe(`  export MILLRACE_URL=${url}`);
  const call = async (line: string): Promise<Ended> => {
    const ended = await runCommands([take, line], environment);
    // A database that takes too long, on a busy machine, refuses a webhook.
    return ended.output.includes('please send it again') ? call(line) : ended;
  };
  const answers = await Promise.all(calls.map(call));
  expect(answers.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
  const [whole, streamed, accepted, runs] = answers.map(({ output }) => output);
  expect(whole).toContain('"text":"hello"');
  expect(streamed).toContain('"event": "end"');
  expect(accepted).toContain('"run_id"');
  expect(JSON.parse(runs ?? '')).toHaveProperty('runs');
}

test('the commands of the banner work on the first start and on later ones', async () => {
  const first = await start();
  expect(first.lines.find((line) => line.startsWith('API key'))).toMatch(/ sk-[\w-]{43} /);
  await expectCommandsToWork(first);
  const second = await start();
  expect(second.lines.join('\n')).not.toMatch(/sk-[\w-]{43}/);
  await expectCommandsToWork(second);
}, 120_000);

test('a start on a used port prints one sentence and creates nothing; the next start shows the key', async () => {
  const other = createServer((_, response) => response.end('something else'));
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const { port } = other.address() as AddressInfo;
  expect(await run(process.execPath, [program, '--port', String(port), '--data', folder])).toEqual({
    code: 1,
    output: '',
    faults: expect.stringMatching(
      new RegExp(`^port ${port} is in use; standalone --data '.*' --port ${port + 1}\n$`),
    ) as string,
  });
  expect(existsSync(folder)).toBe(false);
  await new Promise((resolve) => other.close(resolve));
  expect((await start()).lines.join('\n')).toMatch(/sk-[\w-]{43}/);
}, 120_000);

test('--show-key prints the key of a running server, and reports when it was deleted', async () => {
  const { url, lines } = await start();
  const key = /sk-[\w-]{43}/.exec(lines.join('\n'))?.[0] ?? '';
  expect(await showKey()).toEqual({ code: 0, output: `${key}\n`, faults: '' });
  chmodSync(join(folder, 'api-key'), 0o640);
  expect(await showKey()).toMatchObject({
    output: `${key}\n`,
    faults: expect.stringContaining('can be read by other users of this machine; run chmod 600 ') as string,
  });

  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const make = await fetch(`${url}/api/v1/api_key/`, { method: 'POST', headers, body: '{"name":"mine"}' });
  const mine = ((await make.json()) as { api_key: string }).api_key;
  const list = (await (await fetch(`${url}/api/v1/api_key/`, { headers })).json()) as {
    api_keys: { id: string; name: string }[];
  };
  const kept = list.api_keys.find(({ name }) => name !== 'mine');
  await fetch(`${url}/api/v1/api_key/${kept?.id ?? ''}`, {
    method: 'DELETE',
    headers: { 'x-api-key': mine },
  });
  expect(await showKey()).toMatchObject({
    code: 1,
    output: '',
    faults: expect.stringContaining('was deleted or is no longer valid') as string,
  });

  const again = await start();
  expect(again.lines.join('\n')).toMatch(/API key +the stored key was deleted/);
  expect((await runCommands(again.commands)).faults).toContain('set it to one of your API keys');
  await expectCommandsToWork(again, { MILLRACE_API_KEY: mine });
  const renewed = await start(['--new-key']);
  await expectCommandsToWork(renewed);
  expect((await showKey()).output).toMatch(/^sk-[\w-]{43}\n$/);
}, 180_000);

test('a key from the environment is mentioned, works in the commands, and is not written to disk', async () => {
  const key = 'sk-given-by-the-environment-0123456789';
  const given = { MILLRACE_BOOTSTRAP_API_KEY: key };
  const first = await start([], given);
  expect(first.lines.join('\n')).toMatch(/API key +set by MILLRACE_BOOTSTRAP_API_KEY/);
  await expectCommandsToWork(first, given);
  expect((await runCommands(first.commands)).faults).toContain(
    'set it to the key that the server was started with',
  );
  expect(first.lines.join('\n')).not.toContain(key);
  await running?.stop();
  running = undefined;
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const leakingFiles = files.filter(({ parentPath, name }) =>
    readFileSync(join(parentPath, name)).includes(key),
  );
  expect(files.length).toBeGreaterThan(5);
  expect(leakingFiles).toEqual([]);
  // Without the variable, the database has a key, but the folder does not contain its text.
  const later = await start();
  expect(later.lines.join('\n')).toMatch(/API key +not stored in this data folder/);
  await expectCommandsToWork(later, { MILLRACE_API_KEY: key });
}, 120_000);

test.each([
  [
    'database',
    { DATABASE_URL: 'postgres://ann:hunter22@127.0.0.1:1/mill' },
    'PostgreSQL at 127.0.0.1:1 (DATABASE_URL)',
  ],
  ['broker', { AMQP_URL: 'amqp://ann:hunter22@127.0.0.1:1' }, 'RabbitMQ at 127.0.0.1:1 (AMQP_URL)'],
])(
  'an unreachable %s results in one sentence in addition to the log',
  async (_, environment, server) => {
    const { code, output, faults } = await run(
      process.execPath,
      [program, '--port', '0', '--data', folder],
      environment,
    );
    expect(code).toBe(1);
    expect(faults).toMatch(/^standalone could not start: .* cannot be used: .*ECONNREFUSED.*\n$/);
    expect(faults).toContain(server);
    expect(output).toContain('"level":"fatal"');
    expect(faults + output).not.toContain('hunter22');
  },
  60_000,
);

test('an unreachable Redis results in one sentence, and the app starts', async () => {
  const { lines } = await start([], { REDIS_URL: 'redis://127.0.0.1:1' });
  expect(
    lines.filter((line) => line.startsWith('Redis at 127.0.0.1:1 (REDIS_URL) does not answer')),
  ).toHaveLength(1);
  const failures = lines.flatMap(
    (line) => /"failures":(\d+),"msg":"Redis connection failed"/.exec(line)?.[1] ?? [],
  );
  expect(failures.length).toBeGreaterThan(0);
  expect(failures).toEqual(['1', '2', '4', '8', '16'].slice(0, failures.length));
}, 60_000);

test('a data folder in use results in one sentence that names the process that uses it', async () => {
  await start();
  const { code, output, faults } = await run(process.execPath, [program, '--port', '0', '--data', folder]);
  expect(code).toBe(1);
  expect(faults).toMatch(/^The data directory .* is in use by .*\n$/);
  expect(output).not.toContain('"fatal"');
}, 60_000);
