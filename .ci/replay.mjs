// Replays recorded cases against a standalone Millrace and fails when one that conformance-passed.json names fails.
// Usage: node .ci/replay.mjs [DIRECTORY OF replay.mjs] [--update] [--base-url URL --key KEY]
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

const PASSED = 'conformance-passed.json';
const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: { update: { type: 'boolean' }, 'base-url': { type: 'string' }, key: { type: 'string' } },
});
const directory = resolve(positionals[0] ?? '../shared/conformance');
if (!existsSync(join(directory, 'replay.mjs'))) {
  console.log('conformance: no recorded cases here, nothing replayed');
  process.exit(0);
}

const temporary = mkdtempSync(join(tmpdir(), 'millrace-conformance-'));
const key = flags.key ?? 'sk-conformance-0123456789abcdefghijklmnopqrstuvwxyz';
const server = flags['base-url'] ? null : await startStandalone();
try {
  const report = join(temporary, 'report.json');
  const baseUrl = flags['base-url'] ?? server.url;
  const replay = [join(directory, 'replay.mjs'), '--base-url', baseUrl, '--key', key, '--json', report];
  const run = spawnSync(process.execPath, replay, { encoding: 'utf8', timeout: 600_000 });
  if (!existsSync(report))
    throw new Error(`the replay ended without a report:\n${run.stdout}\n${run.stderr}`);
  process.exitCode = judge(JSON.parse(readFileSync(report, 'utf8')), run.stdout);
} finally {
  if (server) await server.stop();
  rmSync(temporary, { recursive: true, force: true });
}

function judge(results, output) {
  const passed = results.filter((result) => result.passed).map(({ group, id }) => `${group}/${id}`);
  const promised = existsSync(PASSED) ? JSON.parse(readFileSync(PASSED, 'utf8')) : [];
  const broken = promised.filter((name) => !passed.includes(name));
  const summary = output.split('\n').filter((line) => /: \d+ passed, \d+ failed$/.test(line));
  console.log(summary.join('\n'));
  console.log(
    `conformance: ${passed.length} of ${results.length} cases pass, ${promised.length} are promised`,
  );
  if (flags.update) {
    writeFileSync(PASSED, `${JSON.stringify([...new Set([...promised, ...passed])].sort(), null, 2)}\n`);
    console.log(`conformance: ${PASSED} written`);
  }
  if (broken.length > 0)
    console.log(`conformance: promised but failing:\n  ${broken.join('\n  ')}\n${output}`);
  return broken.length > 0 ? 1 : 0;
}

async function startStandalone() {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(
    process.execPath,
    ['tools/start.mjs', '--port', String(port), '--data', join(temporary, 'data')],
    {
      env: {
        ...process.env,
        DATABASE_URL: '',
        AMQP_URL: '',
        REDIS_URL: '',
        MILLRACE_BOOTSTRAP_API_KEY: key,
        MILLRACE_OUTGOING_ALLOW: '127.0.0.1/32',
        LOG_LEVEL: 'warn',
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  const exited = new Promise((resolveExit) => child.once('exit', resolveExit));
  const giveUpAt = Date.now() + 180_000;
  while (
    !(await fetch(`${url}/health`)
      .then((response) => response.ok)
      .catch(() => false))
  ) {
    if (child.exitCode !== null || Date.now() > giveUpAt) throw new Error('the standalone app did not start');
    await new Promise((wait) => setTimeout(wait, 200));
  }
  return {
    url,
    async stop() {
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), 20_000);
      await exited;
      clearTimeout(timer);
    },
  };
}

function freePort() {
  return new Promise((resolvePort) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolvePort(port));
    });
  });
}
