import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { codeHash } from '@millrace/flow';
import { cli } from '../testing/test-shell';

const folder = mkdtempSync(join(tmpdir(), 'millrace-code-'));
const packages = join(folder, 'site-packages');
const text = 'class URLComponent(Component): pass';
const template = { _type: 'Component', code: { value: text }, url: { value: '', spending_limit: 1 } };
const component = { template, outputs: [{ name: 'result', redaction: true }], guardrails: [] };
const node = { type: 'ChatInput', node: { template: { code: { value: 'shipped' } } } };
const edited = { type: 'ChatInput', node: { edited: true, template: { code: { value: 'edited' } } } };
let server: Server;
let url: string;

beforeAll(async () => {
  write(
    'lfx/_assets/component_index.json',
    JSON.stringify({ entries: [['web', { URLComponent: component }]] }),
  );
  write(
    'lfx/inputs/input_mixin.py',
    'class M(BaseModel):\n    consent: bool | None = None\n    kind: str = Field(alias="type")\n',
  );
  write(
    'lfx/custom/custom_component/component.py',
    '    def _build_tool_data(self, tool):\n        return {\n            "name": tool.name,\n            "allowed_hours": tool.hours,\n        }\n',
  );
  write('lfx_shop/extension.json', JSON.stringify({ bundles: [{ name: 'shop', path: 'parts' }] }));
  write('lfx_shop/parts/order.py', 'class Order(Component):\n    pass\n');
  write(
    'langflow/initial_setup/starter_projects/a.json',
    JSON.stringify({ data: { nodes: [{ data: node }, { data: edited }], edges: [] } }),
  );
  server = createServer((request, response) => {
    const isAllowed = request.headers['x-api-key'] === 'sk-remote';
    response.statusCode = isAllowed ? 200 : 403;
    response.end(JSON.stringify(isAllowed ? { web: { URLComponent: component } } : { detail: 'no' }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

function write(path: string, content: string): void {
  const file = join(packages, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

const environment = { LANGFLOW_API_KEY: 'sk-remote' };

test('lists code that is not built in: of the index, of bundles and of unedited nodes of templates', async () => {
  const out = join(folder, 'known-code.json');
  const { code, json } = await cli(['code', 'list', packages, '--out', out, '--json']);
  const wanted = {
    ChatInput: [codeHash('shipped')],
    URLComponent: [codeHash(text)],
    'ext:shop:Order@official': [codeHash('class Order(Component):\n    pass\n')],
  };
  expect([code, json()]).toEqual([0, wanted]);
  expect(JSON.parse(readFileSync(out, 'utf8'))).toEqual(wanted);
});

test('adds the code of a running Langflow to a file that has some already', async () => {
  const out = join(folder, 'more.json');
  writeFileSync(out, JSON.stringify({ URLComponent: ['0123456789ab'], Other: ['ba9876543210'] }));
  const listed = await cli(['code', 'list', url, '--out', out], { environment });
  expect(listed).toMatchObject({
    code: 0,
    output: expect.stringContaining('1 hashes of 1 types; 1 are not built in\n'),
  });
  const { URLComponent: hashes, Other: others } = JSON.parse(readFileSync(out, 'utf8')) as Record<
    string,
    string[]
  >;
  expect(hashes).toEqual(['0123456789ab', codeHash(text)].toSorted());
  expect(others).toEqual(['ba9876543210']);
});

test('lists the members of exports that this release does not know, and ends with 1', async () => {
  const installed = await cli(['code', 'members', packages, '--json']);
  expect([installed.code, installed.json()]).toEqual([
    1,
    [
      { place: 'field', name: 'consent' },
      { place: 'field', name: 'spending_limit' },
      { place: 'node', name: 'guardrails' },
      { place: 'output', name: 'redaction' },
      { place: 'toolRow', name: 'allowed_hours' },
    ],
  ]);
  const running = await cli(['code', 'members', url], { environment });
  expect(running).toMatchObject({ code: 1, output: expect.stringContaining('  node: guardrails\n') });
});

test('a folder without lfx and a refused key have their exit codes', async () => {
  expect(await cli(['code', 'list', folder])).toMatchObject({
    code: 66,
    faults: expect.stringContaining('site-packages'),
  });
  expect(await cli(['code', 'list', url])).toMatchObject({ code: 77 });
});
