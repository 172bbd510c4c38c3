import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createHash } from 'node:crypto';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import ts from 'typescript';
import { pageExamples } from '../system/page-examples';

const root = join(__dirname, '..', '..');
const MAXIMUM_BYTES = 25_000_000;

interface Manifest {
  readonly version: string;
  readonly bin: Readonly<Record<string, string>>;
  readonly man: readonly string[];
  readonly scripts?: unknown;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
}

let folder: string;
/** The unpacked package, beside the packages that npm would install for it. */
let unpacked: string;
let manifest: Manifest;
let server: ChildProcess | undefined;

beforeAll(() => {
  execFileSync(process.execPath, [join(root, 'tools', 'release.mjs'), '--package'], {
    cwd: root,
    timeout: 300_000,
  });
  folder = mkdtempSync(join(tmpdir(), 'millrace-package-'));
  execFileSync('tar', ['xzf', tarball(), '-C', folder], { timeout: 60_000 });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  unpacked = join(folder, 'package');
  manifest = JSON.parse(readFileSync(join(unpacked, 'package.json'), 'utf8')) as Manifest;
}, 360_000);

afterAll(() => {
  server?.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

function tarball(): string {
  const release = join(root, 'dist', 'release');
  const names = readdirSync(release).filter((name) => name.endsWith('.tgz'));
  expect(names).toHaveLength(1);
  return join(release, names.join());
}

function bundles(): readonly string[] {
  const apps = join(unpacked, 'dist', 'apps');
  return readdirSync(apps)
    .map((app) => join(apps, app, 'main.cjs'))
    .filter((path) => existsSync(path));
}

test('is small, runs nothing at its installation, and has no source maps', () => {
  expect(statSync(tarball()).size).toBeLessThan(MAXIMUM_BYTES);
  expect(manifest.scripts).toBeUndefined();
  const files = readdirSync(unpacked, { recursive: true, encoding: 'utf8' });
  expect(files.filter((path) => path.endsWith('.map'))).toEqual([]);
  const manifests = files.filter((path) => path.endsWith('package.json'));
  expect(manifests).toHaveLength(2);
  for (const path of manifests)
    expect(JSON.parse(readFileSync(join(unpacked, path), 'utf8'))).not.toHaveProperty('scripts');
});

test('names each package that its programs load, and the version and digest of the file', () => {
  const known = new Set([
    ...builtinModules,
    ...Object.keys(manifest.dependencies),
    ...Object.keys(manifest.optionalDependencies),
  ]);
  expect(bundles()).toHaveLength(6);
  const loaded = bundles().flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(/\b(?:require|import)\("([^".][^"]*)"\)/g)].map(
      ([, name = '']) => name,
    ),
  );
  const packages = new Set(
    loaded
      .filter((name) => !name.startsWith('node:'))
      .map((name) => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name),
  );
  expect(packages.size).toBeGreaterThan(20);
  expect([...packages].filter((name) => !known.has(name))).toEqual([]);
  const workspace = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
  expect(manifest).toMatchObject({
    version: workspace.version,
    dependencies: workspace.dependencies,
  });
  const digest = createHash('sha256').update(readFileSync(tarball())).digest('hex');
  const sums = readFileSync(join(root, 'dist', 'release', 'SHA256SUMS'), 'utf8');
  expect(sums).toBe(`${digest}  ${basename(tarball())}\n`);
});

test('has a typed client for CommonJS and modules, and the manual page', () => {
  const work = join(folder, 'caller');
  mkdirSync(join(work, 'node_modules'), { recursive: true });
  symlinkSync(unpacked, join(work, 'node_modules', 'millrace'));
  const uses = `import { MillraceClient } from 'millrace/client';
    const client = new MillraceClient({ url: 'http://127.0.0.1:1', key: 'sk-x' });`;
  const example = pageExamples().find(({ language }) => language === 'ts')?.code ?? '';
  const program = ts.createProgram(
    [
      writtenFile(
        work,
        'right.mts',
        `declare const process: { readonly env: Readonly<Record<string, string>> };
        ${example} export const id = runs[0]?.id.at(0);`,
      ),
      writtenFile(
        work,
        'wrong.mts',
        `${uses} void client.call('GET /api/v1/runs', { query: { limit: 'ten' } });`,
      ),
    ],
    { strict: true, noEmit: true, target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext, types: [] },
  );
  const faults = ts.getPreEmitDiagnostics(program).map(({ file }) => basename(file?.fileName ?? ''));
  expect(faults).toEqual(['wrong.mts']);
  const module = writtenFile(
    work,
    'away.mjs',
    `${uses} await client.call('GET /api/v1/runs').catch(({ name, reason }) => console.log(name, reason));`,
  );
  expect(String(execFileSync(process.execPath, [module], { timeout: 60_000 }))).toBe(
    'MillraceError unavailable\n',
  );
  const page = readFileSync(join(unpacked, manifest.man.join()), 'utf8');
  expect(page).toContain(`Millrace ${manifest.version}`);
  expect(page).toContain('.SS millrace flows import\n');
});

function writtenFile(work: string, name: string, text: string): string {
  const file = join(work, name);
  writeFileSync(file, text);
  return file;
}

test('`millrace up` starts with the examples and answers; the other commands are those of the command line', async () => {
  const command = join(unpacked, manifest.bin['millrace'] ?? '');
  const environment = {
    ...process.env,
    DATABASE_URL: '',
    AMQP_URL: '',
    REDIS_URL: '',
    MILLRACE_BOOTSTRAP_API_KEY: '',
    MILLRACE_API_KEY: '',
  };
  const work = mkdtempSync(join(folder, 'work-'));
  server = spawn(process.execPath, [command, 'up', '--port', '0'], {
    cwd: work,
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  for await (const line of createInterface({ input: server.stdout ?? process.stdin })) {
    lines.push(line);
    if (line.includes('standalone: ready')) break;
  }
  const banner = lines.join('\n');
  const url = /Millrace +(http:\S+)/.exec(banner)?.[1] ?? '';
  const key = /API key +(sk-\S+)/.exec(banner)?.[1] ?? '';
  expect(banner).toContain('print it with millrace up --show-key');
  expect(existsSync(join(work, '.millrace', 'api-key'))).toBe(true);
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const body = JSON.stringify({ input_value: 'hello' });
  const answer = await fetch(`${url}/api/v1/run/echo`, { method: 'POST', headers, body });
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('hello')]);
  for (const [path, text] of [
    ['/guide/', 'id="VPContent"'],
    ['/docs', 'href="/guide/api/runs#listruns"'],
    ['/', '<div id="root">'],
  ] as const)
    expect(await (await fetch(`${url}${path}`, { headers: { accept: 'text/html' } })).text()).toContain(text);
  const flows = execFileSync(process.execPath, [command, 'flows', 'list'], {
    env: { ...environment, MILLRACE_URL: url, MILLRACE_API_KEY: key },
    timeout: 60_000,
  });
  expect(String(flows)).toContain('order-webhook');
  const completion = String(execFileSync(process.execPath, [command, 'completion', 'bash']));
  expect(completion).toMatch(/"flows"\) words=".*\bwatch\b/);
  expect(String(execFileSync(process.execPath, [command, '--version']))).toBe(`${manifest.version}\n`);
}, 120_000);
