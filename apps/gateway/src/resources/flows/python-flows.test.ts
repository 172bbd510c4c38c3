import { createHash } from 'node:crypto';
import { PythonAnnouncement } from '@millrace/dispatch';
import { until } from '@millrace/service/testing';
import { makeTenant } from '../../testing/tenant';
import { gatewayForTests, openTestGateway } from '../../testing/test-gateway';

const code = (name: string, imported = 'json') => `import ${imported}\nclass ${name}:\n    pass\n`;
const sha256Of = (text: string) => createHash('sha256').update(text).digest('hex');
const node = (type: string, value: string) => ({
  id: `${type}-1`,
  type: 'genericNode',
  data: {
    id: `${type}-1`,
    type,
    node: {
      display_name: type,
      edited: true,
      template: { code: { type: 'code', value } },
      outputs: [{ name: 'result', display_name: 'Result', method: 'build_it', types: ['Message'] }],
    },
  },
});
const flow = (name: string, ...nodes: object[]) => ({ name, data: { nodes, edges: [] } });

interface Report {
  readonly runnable: boolean;
  readonly verdict: string;
  readonly vertices: readonly { readonly status: string; readonly reason: string; readonly sha256: string }[];
  readonly problems: readonly { readonly code: string; readonly message: string }[];
}

const gateway = gatewayForTests({ environment: { MILLRACE_PYTHON: 'approved' } });

const check = async (given: object, at = gateway) =>
  ((await at.call('POST', '/api/v1/flows/check', given)).json as Report[])[0];
const texts = async () =>
  ((await gateway.call('GET', '/api/v1/author-code?status=all')).json as { author_code: object[] })
    .author_code;

test('while no executor announces its Python, a flow needs one', async () => {
  const report = await check(flow('early', node('Early', code('Early'))));
  expect(report).toMatchObject({
    runnable: false,
    verdict: 'needs_python',
    vertices: [{ status: 'needs_python', reason: expect.stringContaining('no executor with Python') }],
    problems: [{ code: 'python_unavailable' }],
  });
});

describe('with an executor with Python', () => {
  beforeEach(async () => {
    await gateway.database.query({ text: 'TRUNCATE author_code' });
    // It expires after some seconds.
    await new PythonAnnouncement(gateway).write('python', {
      python: '3.11.7',
      lfx: '1.13.0',
      packageSet: 'lfx',
      components: new Map(),
      modules: new Set(['json', 'lfx']),
      seal: 'sealed',
    });
  });

  test('a text waits for an approval, which takes effect at once, and so does its end', async () => {
    const text = code('Approved');
    const given = flow('approved', node('Approved', text));
    expect(await check(given)).toMatchObject({
      runnable: false,
      verdict: 'needs_approval',
      vertices: [
        {
          status: 'needs_approval',
          sha256: sha256Of(text),
          reason: expect.stringContaining(`PUT /api/v1/author-code/${sha256Of(text)}`),
        },
      ],
      problems: [{ code: 'code_not_approved', message: expect.stringContaining(sha256Of(text)) }],
    });
    const path = `/api/v1/author-code/${sha256Of(text)}`;
    await gateway.call('PUT', path, { status: 'approved' });
    expect(await check(given)).toMatchObject({
      runnable: true,
      verdict: 'runnable',
      vertices: [{ status: 'python', sha256: sha256Of(text) }],
      problems: [],
    });
    await gateway.call('DELETE', path);
    expect(await check(given)).toMatchObject({ verdict: 'needs_approval' });
  });

  test('a text with a module that is not installed names the module', async () => {
    expect(await check(flow('duck', node('Duck', code('Duck', 'duckdb'))))).toMatchObject({
      verdict: 'needs_package',
      vertices: [{ status: 'needs_package', reason: expect.stringContaining('duckdb') }],
    });
  });

  test('a flow that names a pool without Python needs one', async () => {
    const given = { ...flow('elsewhere', node('Else', code('Else'))), settings: { pool: 'gpu' } };
    expect(await check(given)).toMatchObject({ verdict: 'needs_python' });
  });

  test('creating and changing a flow records the texts of all its vertices; a check records none', async () => {
    const [first, second, third] = [code('First'), code('Second'), code('Third', 'duckdb')];
    // A run begins at the chat input, and reaches none of the others.
    const input = { ...node('ChatInput', ''), id: 'ChatInput-1' };
    const start = { ...input, data: { ...input.data, node: { template: {}, outputs: [] } } };
    const given = flow('three', start, node('First', first), node('Second', second));
    await check(given);
    expect(await texts()).toEqual([]);
    const created = await gateway.call('POST', '/api/v1/flows/', given);
    const { id } = created.json as { id: string };
    expect(created.json).toMatchObject({
      report: {
        verdict: 'runnable',
        vertices: [{}, { sha256: sha256Of(first) }, { status: 'needs_approval' }],
      },
    });
    expect(await texts()).toHaveLength(2);
    await gateway.call('PATCH', `/api/v1/flows/${id}`, { data: flow('', node('Third', third)).data });
    expect((await gateway.call('GET', `/api/v1/author-code/${sha256Of(third)}`)).json).toMatchObject({
      status: 'waiting',
      component_type: 'Third',
      bytes: third.length,
      submitted_by: gateway.user.id,
      code: third,
    });
    await gateway.call('POST', '/api/v1/flows/upload/', flow('four', node('Fourth', code('Fourth'))));
    expect(await texts()).toHaveLength(4);
  });

  test('a text is the same for all users: an approval counts for each', async () => {
    const text = code('Shared');
    await gateway.createFlow(flow('shared', node('Shared', text)));
    await gateway.call('PUT', `/api/v1/author-code/${sha256Of(text)}`, { status: 'approved' });
    const other = await makeTenant(gateway, 'python');
    const { json } = await other.call('POST', '/api/v1/flows/', flow('shared', node('Shared', text)));
    expect(json).toMatchObject({ report: { vertices: [{ status: 'python' }] } });
    expect(await texts()).toMatchObject([{ status: 'approved', submitted_by: gateway.user.id }]);
  });

  test('a decision at another gateway takes effect here', async () => {
    const text = code('Remote');
    const given = flow('remote', node('Remote', text));
    expect(await check(given)).toMatchObject({ verdict: 'needs_approval' });
    await gateway.authorCode.decide(sha256Of(text), gateway.user.id, 'approved');
    await gateway.bus.publish({
      exchange: gateway.names.controlExchange,
      routingKey: '',
      body: Buffer.from(JSON.stringify({ kind: 'author-code-changed', sha256: sha256Of(text) })),
      persistent: false,
      mandatory: false,
    });
    await until(async () => (await check(given))?.verdict === 'runnable');
  });
});

test('while Python is off, the report says so, and a text is recorded all the same', async () => {
  const off = await openTestGateway();
  try {
    const text = code('Off');
    await off.createFlow(flow('off', node('Off', text)));
    expect(await check(flow('off', node('Off', text)), off)).toMatchObject({
      runnable: false,
      verdict: 'needs_python',
      vertices: [{ status: 'needs_python', reason: expect.stringContaining('which is off') }],
    });
    expect(await off.authorCode.find(sha256Of(text))).toMatchObject({ status: 'waiting', code: text });
  } finally {
    await off.close();
  }
});
