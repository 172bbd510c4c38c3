import { openTestGateway } from '../../testing/test-gateway';
import type { TestGateway } from '../../testing/test-gateway';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openTestGateway();
}, 60_000);
afterAll(() => gateway.close());

const mill = '/api/v2/mcp/servers/mill';
const config = { url: 'https://mill.test/mcp', headers: { authorization: 'Bearer key' } };

test('a server is stored, listed, read, replaced and deleted', async () => {
  expect(await gateway.call('POST', mill, config)).toMatchObject({ status: 200, json: config });
  expect((await gateway.call('GET', '/api/v2/mcp/servers?action_count=true')).json).toEqual([
    { name: 'mill', mode: null, toolsCount: null },
  ]);
  expect((await gateway.call('GET', mill)).json).toEqual(config);
  const program = { command: 'mill', args: ['--fine'] };
  expect(await gateway.call('PATCH', mill, program)).toMatchObject({ status: 200, json: program });
  expect((await gateway.call('GET', mill)).json).toEqual(program);
  expect(await gateway.call('DELETE', mill)).toMatchObject({ status: 200, json: null });
  expect((await gateway.call('GET', mill)).json).toBeNull();
});

test('a name cannot be used twice, and an unknown server cannot be deleted', async () => {
  const other = '/api/v2/mcp/servers/other%20one';
  await gateway.call('POST', other, config);
  expect(await gateway.call('POST', other, config)).toMatchObject({
    status: 409,
    json: { detail: 'Server already exists.' },
  });
  expect((await gateway.call('GET', '/api/v2/mcp/servers')).json).toMatchObject([{ name: 'other one' }]);
  await gateway.call('DELETE', other);
  expect(await gateway.call('DELETE', other)).toMatchObject({
    status: 404,
    json: { detail: 'Server not found.' },
  });
});

test('a body that is too long or not an object, and an invalid query, are refused', async () => {
  expect((await gateway.call('POST', `/api/v2/mcp/servers/${'m'.repeat(201)}`, config)).status).toBe(400);
  expect((await gateway.call('POST', mill, { url: 'x'.repeat(70_000) })).status).toBe(400);
  expect((await gateway.call('POST', mill, [config])).status).toBe(422);
  const path = '/api/v2/mcp/servers?action_count=';
  expect(await gateway.call('GET', path)).toMatchObject({
    status: 422,
    json: { detail: [{ type: 'bool_parsing', loc: ['query', 'action_count'] }] },
  });
});
