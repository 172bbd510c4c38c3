import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FakeEnvironment } from '../testing/fake-environment.fixture';
import { workerFolder } from '../testing/test-pool.fixture';
import { environmentStamp } from './environment-stamp.cjs';
import { requiredLfx } from './python-environment';
import { readPythonEnvironment } from './read-python-environment';

const described = {
  python: '3.12.4',
  lfx: '1.13.0',
  components: { Prompt: 'lfx.components.models_and_agents.prompt.PromptComponent' },
  modules: ['json', 'numpy'],
};

let environment: FakeEnvironment;
beforeEach(() => {
  environment = new FakeEnvironment();
});
afterEach(() => environment.remove());

const read = (deadlineMilliseconds = 30_000) =>
  readPythonEnvironment(environment.folder, { workerFolder, deadlineMilliseconds });

function answers(description: unknown): void {
  environment.interpreter(`echo '${JSON.stringify(description)}'`);
}

function writeDescription(description: object): void {
  const stamp = environmentStamp(environment.folder);
  environment.write('environment.json', JSON.stringify({ ...description, stamp }));
}

test('the version of lfx is that of the lock file', () => {
  const lock = readFileSync(join(workerFolder, 'requirements.lock'), 'utf8');
  expect(lock).toContain(`\nlfx==${requiredLfx} `);
});

test('an interpreter describes its environment', async () => {
  answers(described);
  expect(await read()).toEqual({
    folder: environment.folder,
    interpreter: join(environment.folder, 'bin', 'python'),
    python: '3.12.4',
    lfx: '1.13.0',
    packageSet: 'unknown',
    components: new Map(Object.entries(described.components)),
    modules: new Set(described.modules),
  });
});

test('the interpreter is not asked while environment.json is current', async () => {
  environment.interpreter('exit 7');
  writeDescription(described);
  expect(await read()).toMatchObject({ python: '3.12.4', modules: new Set(['json', 'numpy']) });
});

test.each([
  ['a package was installed', (): void => environment.install('duckdb-1.2.0.dist-info')],
  ['the interpreter was replaced', (): void => environment.interpreter(`echo '{"python":"3.9.2"}'`)],
  ['its packages moved to another Python', (): void => environment.write('pyvenv.cfg', 'home = /opt\n')],
])('environment.json is not used after %s', async (_, change) => {
  answers(described);
  writeDescription({ ...described, python: '3.10.0' });
  change();
  expect(await read()).not.toHaveProperty('python', '3.10.0');
});

test.each([
  ['cut off', '{"python":'],
  ['of another shape', '{"python":"3.12.4","lfx":"1.13.0","components":{"A":1},"modules":[]}'],
  [
    'with a component that is not of lfx',
    '{"python":"3.12.4","lfx":"1","components":{"A":"os"},"modules":[]}',
  ],
  ['too long', ' '.repeat(5 * 1024 * 1024)],
])('the interpreter is asked when environment.json is %s', async (_, text) => {
  answers(described);
  environment.write('environment.json', text);
  expect(await read()).toMatchObject({ python: '3.12.4' });
});

test('a folder without an environment has a reason that names the command', async () => {
  expect(await readPythonEnvironment('/nowhere', { workerFolder })).toEqual({
    reason:
      'There is no Python environment in /nowhere. `npm run python-environment -- --folder /nowhere` builds one.',
  });
});

test.each([
  [{ python: '3.9.1', lfx: '' }, 'is Python 3.9.1; 3.10 or newer is needed.'],
  [{ python: '3.12.4', lfx: '' }, 'does not contain lfx.'],
  [{ python: '3.12.4', lfx: '1.12.1' }, 'contains lfx 1.12.1; 1.13.0 is needed.'],
])('an environment with %j has a reason', async (versions, reason) => {
  answers({ ...described, ...versions });
  expect(await read()).toEqual({ reason: expect.stringContaining(reason) });
});

test.each([
  ['exit 3', 'cannot be run: exit status 3.'],
  ['echo "first line" >&2; echo "libpython is missing" >&2; exit 1', 'cannot be run: libpython is missing.'],
  ['echo hello', 'did not describe its environment.'],
  ['yes', 'cannot be run: its answer is too long.'],
])('an interpreter that does %j has a reason', async (lines, reason) => {
  environment.interpreter(lines);
  expect(await read()).toEqual({ reason: expect.stringContaining(reason) });
});

test('an interpreter that does not answer has a reason', async () => {
  environment.interpreter('sleep 30');
  expect(await read(100)).toEqual({ reason: expect.stringContaining('no answer within 100 ms.') });
});
