import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

// Named a suite with servers because it needs programs that the test command installs: zizmor, and check-jsonschema.
const root = join(__dirname, '..', '..');
const folder = join('.github', 'workflows');
const workflows = readdirSync(join(root, folder)).map((name) => join(folder, name));

test('the workflows fit the schema of GitHub', () => {
  expect(run('check-jsonschema', ['--builtin-schema', 'vendor.github-workflows', ...workflows])).toEqual({
    status: 0,
    output: 'ok -- validation done\n',
  });
});

test('the updates of dependencies fit the schema of GitHub', () => {
  const words = ['--builtin-schema', 'vendor.dependabot', join('.github', 'dependabot.yml')];
  expect(run('check-jsonschema', words)).toMatchObject({ status: 0 });
});

test('zizmor finds no fault in the workflows and the updates of dependencies', () => {
  const words = ['--offline', '--quiet', '--no-progress', '--color=never', '--persona=regular'];
  expect(run('zizmor', [...words, folder, join('.github', 'dependabot.yml')])).toMatchObject({ status: 0 });
});

function run(name: string, words: readonly string[]) {
  const program = process.env['ZIZMOR'];
  if (!program) throw new Error('ZIZMOR is not set: npm test finds or installs it');
  const { status, stdout, stderr } = spawnSync(join(dirname(program), name), words, {
    cwd: root,
    encoding: 'utf8',
  });
  return { status, output: `${stdout}${status === 0 ? '' : stderr}` };
}
