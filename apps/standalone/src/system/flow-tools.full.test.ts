import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(__dirname, '..', '..', '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'millrace-flow-tools-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function tool(name: string, words: readonly string[], environment: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [`tools/${name}.mjs`, ...words], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, ...environment },
    timeout: 600_000,
  });
  return { status, output: stdout + stderr };
}

describe('millrace flows check', () => {
  const chat = 'examples/chat.json';

  test('exits with 0 when a flow can run with the keys in the environment', () => {
    expect(
      tool('millrace', ['flows', 'check', chat, 'examples/echo.json'], { OPENAI_API_KEY: 'sk' }),
    ).toEqual({
      status: 0,
      output: expect.stringContaining('examples/chat.json: runnable'),
    });
    const withoutKey = tool('millrace', ['flows', 'check', chat], { OPENAI_API_KEY: '' });
    expect(withoutKey.status).toBe(1);
    expect(withoutKey.output).toContain('It needs OPENAI_API_KEY.');
  });

  test('names unsupported components, also as JSON', () => {
    const file = join(folder, 'own.json');
    const node = { id: 'Mine-1', type: 'genericNode', data: { type: 'Mine', node: { template: {} } } };
    writeFileSync(file, JSON.stringify({ data: { nodes: [node], edges: [] } }));
    const { status, output } = tool('millrace', ['flows', 'check', '--json', file]);
    expect(status).toBe(1);
    expect(JSON.parse(output)).toMatchObject([
      { file, verdict: 'refused', vertices: [{ id: 'Mine-1', type: 'Mine', status: 'refused' }] },
    ]);
  });

  test('refuses a file that is not a flow without crashing', () => {
    const file = join(folder, 'none.json');
    writeFileSync(file, '[]');
    expect(tool('millrace', ['flows', 'check', file])).toMatchObject({
      status: 1,
      output: expect.stringContaining('refused'),
    });
  });
});

// flow-table mounts a file over /etc/hosts in its own namespace, and serves the ports of HTTP and HTTPS.
const isAdministrator = process.platform === 'linux' && process.getuid?.() === 0;

(isAdministrator ? test : test.skip)(
  'flow-table runs the examples to completion, one of them with accepted stock code in place of edited code',
  () => {
    const file = join(folder, 'table.json');
    const own = { nodes: [{ id: 'Mine-1', data: { type: 'Mine', node: { template: {} } } }], edges: [] };
    const flows = join(folder, 'flows');
    const { status, output } = tool('flow-table', [copyOfExamples(flows, own), '--accept', '--json', file]);
    expect({ status, output }).toMatchObject({ status: 0 });
    const rows = JSON.parse(readFileSync(file, 'utf8')) as { name: string; state: string }[];
    const ran = { state: 'ran', missed: [] };
    expect(rows).toMatchObject([
      { ...ran, name: 'chat.json', dependsOnInput: true, isRepeatable: true },
      { ...ran, name: 'echo.json', dependsOnInput: true, isRepeatable: true },
      { ...ran, name: 'edited.json', isAccepted: true, dependsOnInput: true, isRepeatable: true },
      { ...ran, name: 'order-webhook.json' },
      { name: 'own.json', state: 'refused', reasons: ['type Mine'] },
    ]);
    expect(output).toContain('3 run to the end (75 %)');
  },
  160_000,
);

function copyOfExamples(target: string, own: object): string {
  mkdirSync(target);
  for (const name of ['chat', 'echo', 'order-webhook'])
    copyFileSync(join(root, 'examples', `${name}.json`), join(target, `${name}.json`));
  writeFileSync(join(target, 'own.json'), JSON.stringify(own));
  const echo = readFileSync(join(root, 'examples', 'echo.json'), 'utf8');
  const edited = echo.replace('"metadata": {}', '"metadata": { "code_hash": "0123456789ab" }');
  expect(edited).not.toBe(echo);
  writeFileSync(join(target, 'edited.json'), edited);
  return target;
}
