import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCheckout, PINNED, startRegistry } from './pinned-node.fixture';

const ROOT = join(__dirname, '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'millrace-pinned-node-'));
const installation = `${process.platform}-${process.arch}-${PINNED}`;
let registry: Awaited<ReturnType<typeof startRegistry>>;
beforeAll(async () => {
  registry = await startRegistry(join(folder, 'registry'));
});
afterAll(() => {
  registry.close();
  rmSync(folder, { recursive: true, force: true });
});

const newCheckout = (name: string, script: string, given = {}) =>
  createCheckout(join(folder, name), script, {
    registry: registry.address,
    integrity: registry.integrity,
    ...given,
  });

test('installs the pinned Node once, also for two parallel commands, and runs the command with it', async () => {
  const { run, installed } = newCheckout(
    'once',
    `import { execFileSync } from 'node:child_process';
     console.log(process.argv.slice(2).join(), execFileSync('node', ['--version']).toString().trim());
     process.exitCode = 7;`,
  );
  const results = await Promise.all([run(['a', '--b']), run(['a', '--b'])]);
  for (const result of results) expect(result).toMatchObject({ code: 7, stdout: `a,--b v${PINNED}\n` });
  expect(installed()).toEqual([installation]);
  const before = registry.requests.length;
  expect(await run(['again'])).toMatchObject({ code: 7, stdout: `again v${PINNED}\n`, stderr: '' });
  expect(registry.requests).toHaveLength(before);
}, 90_000);

test('forwards signals to the command and exits as it does', async () => {
  const { run } = newCheckout(
    'signals',
    `if (process.argv[2] === 'handle') process.on('SIGINT', () => process.exit(5));
     setTimeout(() => {}, 60_000);
     console.log('started');`,
  );
  const handled = await run(['handle'], (send) => send('SIGINT'));
  expect(handled).toMatchObject({ code: 5, signal: null });
  const killed = await run([], (send) => send('SIGTERM'));
  expect(killed).toMatchObject({ code: null, signal: 'SIGTERM' });
}, 90_000);

test('refuses a package with another integrity in one sentence, and installs nothing', async () => {
  const integrity = `sha512-${Buffer.alloc(64).toString('base64')}`;
  const { run, installed } = newCheckout('other', 'console.log("ran")', { integrity });
  const { code, stdout, stderr } = await run();
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain('EINTEGRITY');
  expect(stderr).toContain(
    `Millrace needs Node 99 or newer; this is Node ${process.versions.node}. npm could not install it. Install Node 99`,
  );
  expect(stderr).not.toMatch(/^\s+at /m);
  expect(installed()).toEqual([]);
}, 90_000);

test('asks to install Node on a platform for which npm has no package', async () => {
  const { run } = newCheckout('elsewhere', 'console.log("ran")', { platform: 'plan9-mips' });
  const { code, stdout, stderr } = await run();
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^Millrace needs Node 99 .* npm has no Node 99 for .*https:\/\/nodejs\.org\/.*\n$/);
});

describe('the version of Node', () => {
  const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
  const manifest = JSON.parse(read('package.json')) as {
    engines: { node: string };
    devDependencies: Record<string, string>;
    scripts: Record<string, string>;
  };
  const [, oldest = '', major = ''] = /^>=((\d+)\.\d+)$/.exec(manifest.engines.node) ?? [];

  test('is the same in all files', () => {
    const pinned = JSON.parse(read('tools/node/package.json')) as {
      optionalDependencies: Record<string, string>;
    };
    const [version, ...others] = new Set(Object.values(pinned.optionalDependencies));
    expect({ version, others }).toEqual({
      version: expect.stringMatching(`^${major}\\.\\d+\\.\\d+$`),
      others: [],
    });
    expect(manifest.devDependencies['@types/node']).toMatch(`${major}.`);
    expect(read('.nvmrc').trim()).toBe(major);
    expect(read('deploy/Dockerfile')).toContain(`ARG BASE=node:${major}-`);
    expect(read('README.md')).toContain(`Millrace runs on Node ${major}.`);
    expect(read('docs/operate/systemd.md')).toContain(`must be Node ${oldest} or newer`);
    expect(read('docs/use/cli.md')).toContain(`Node is older than ${oldest}`);
    expect(read('apps/cli/src/doctor/check-machine.ts')).toContain(`OLDEST_NODE = '${oldest}'`);
    for (const path of ['tools/build/bundle.mjs', 'tools/build/load-workspace-code.mjs'])
      expect(read(path)).toContain(`target: 'node${major}'`);
  });

  test('is checked by every npm script, in code that old versions of Node can read', () => {
    for (const script of Object.values(manifest.scripts))
      expect(script).toMatch(/^(?:exec )?node tools\/node\/run\.cjs /);
    for (const path of readdirSync(join(ROOT, 'tools', 'node')).filter((path) => path.endsWith('.cjs')))
      expect(read(join('tools', 'node', path))).not.toMatch(
        /\?\.|\?\?|\|\|=|from 'node:|require\('node:|\basync\b/,
      );
  });
});
