import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { openCliServer } from '../testing/cli-server.fixture';
import type { CliServer } from '../testing/cli-server.fixture';
import type { CallName } from './millrace-client';
import { MillraceClient } from './millrace-client';

const EXPORT = join(__dirname, '../../../../examples/echo.json');
const TOUR = join(__dirname, '../testing/generated-client-tour.py');
const MINIMUM_CALLS = 20;
/** What the generator cannot write: a body of any type. */
const LEFT_OUT = ['WARNING parsing POST /api/v1/webhook/{flow} within webhooks.'];
/** The package's name, no formatting, and types of contents that the generator does not know. */
const CONFIGURATION = {
  package_name_override: 'millrace_api',
  post_hooks: [],
  content_type_overrides: {
    'application/x-ndjson': 'text/plain',
    'application/x-zip-compressed': 'application/octet-stream',
    'image/png': 'application/octet-stream',
  },
};

/** The server runs in this process, which therefore does not wait for another one. */
const execute = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'millrace-generated-'));
let server: CliServer;
beforeAll(async () => {
  server = await openCliServer();
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

test('the client that openapi-python-client generates compiles and calls a server', async () => {
  const generator = process.env['OPENAPI_PYTHON_CLIENT'];
  if (!generator) throw new Error('OPENAPI_PYTHON_CLIENT is not set: npm test finds or installs it');
  const document = join(folder, 'openapi.json');
  writeFileSync(document, await (await fetch(`${server.url}/openapi.json`)).text());
  const configuration = join(folder, 'configuration.yaml');
  writeFileSync(configuration, JSON.stringify(CONFIGURATION));
  const output = join(folder, 'millrace_api');
  const words = ['generate', '--path', document, '--output-path', output, '--meta', 'none'];
  const { stderr } = await execute(generator, [...words, '--config', configuration], { timeout: 120_000 });
  expect(stderr.match(/^(?:WARNING|Unable) .*$/gm)).toEqual(LEFT_OUT);
  const python = join(dirname(generator), 'python');
  await execute(python, ['-m', 'compileall', '-q', output], { timeout: 120_000 });
  const { stdout } = await execute(python, [TOUR, server.url, server.key, EXPORT], {
    timeout: 120_000,
    env: { PYTHONPATH: folder, PATH: process.env['PATH'] },
  });
  expect(Number(/^(\d+) calls$/m.exec(stdout)?.[1])).toBeGreaterThanOrEqual(MINIMUM_CALLS);
}, 300_000);

test('the client in TypeScript makes the same calls', async () => {
  const client = new MillraceClient(server);
  const called: CallName[] = [];
  const call: MillraceClient['call'] = (name, ...given) => {
    called.push(name);
    return client.call(name, ...given);
  };
  expect((await call('GET /readyz')).ready).toBe(true);
  expect((await call('GET /api/v1/version')).version).toMatch(/^\d/);
  expect((await call('GET /api/v1/users/whoami')).username).toBe('admin');
  expect(await call('GET /api/v1/projects/')).toHaveLength(1);

  const exported = JSON.parse(readFileSync(EXPORT, 'utf8')) as { readonly data: Record<string, unknown> };
  const body = { ...exported, id: undefined, name: 'Toured', endpoint_name: 'toured' };
  const flow = await call('POST /api/v1/flows/', { body: body as never });
  const path = { flow_id: flow.id };
  const changed = await call('PATCH /api/v1/flows/{flow_id}', { path, body: { description: 'Changed' } });
  expect(changed.description).toBe('Changed');
  expect((await call('GET /api/v1/flows/{flow_id}', { path })).name).toBe('Toured');
  const listed = await call('GET /api/v1/flows/', { query: { header_flows: true } });
  expect(Array.isArray(listed) && listed.map(({ id }) => id)).toContain(flow.id);

  const input = { input_value: 'Hello' };
  const answer = await call('POST /api/v1/run/{flow}', { path: { flow: 'toured' }, body: input });
  expect(JSON.stringify(answer)).toContain('Hello');
  const accepted = await call('POST /api/v1/webhook/{flow}', {
    path: { flow: 'toured' },
    body: { from: 'here' },
  });
  const { run_id: runId } = accepted as { readonly run_id: string };
  const run = await call('GET /api/v1/runs/{run_id}', { path: { run_id: runId } });
  expect(run.flow_id).toBe(flow.id);
  const { runs } = await call('GET /api/v1/runs', { query: { flow_id: flow.id, limit: 1 } });
  expect(runs).toHaveLength(1);
  expect(await call('GET /api/v1/monitor/messages', { query: { flow_id: flow.id } })).not.toHaveLength(0);

  const variable = { name: 'TOURED_TOO', value: 'north', type: 'Generic', default_fields: [] };
  const { id } = await call('POST /api/v1/variables/', { body: variable });
  const place = { path: { variable_id: id } };
  await call('PATCH /api/v1/variables/{variable_id}', { ...place, body: { id, value: 'south' } });
  expect((await call('GET /api/v1/variables/')).map(({ value }) => value)).toContain('south');
  expect(await call('DELETE /api/v1/variables/{variable_id}', place)).toBeNull();

  const created = await call('POST /api/v1/api_key/', { body: { name: 'tour' } });
  expect((await call('GET /api/v1/api_key/')).api_keys.map((key) => key.id)).toContain(created.id);
  const rotated = await call('POST /api/v1/api_key/{api_key_id}/rotate', {
    path: { api_key_id: created.id },
    body: { overlap_seconds: 0 },
  });
  await call('DELETE /api/v1/api_key/{api_key_id}', { path: { api_key_id: rotated.id } });
  await call('DELETE /api/v1/flows/{flow_id}', { path });
  await expect(call('DELETE /api/v1/flows/{flow_id}', { path })).rejects.toMatchObject({ status: 404 });
  expect(called.length).toBeGreaterThanOrEqual(MINIMUM_CALLS);
});
