import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(__dirname, '..', '..');
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
