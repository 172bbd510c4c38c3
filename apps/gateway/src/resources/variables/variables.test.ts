import { controlTopology } from '@millrace/messages';
import { until } from '@millrace/service/testing';
import { gatewayForTests } from '../../testing/test-gateway';

const gateway = gatewayForTests();

describe('variables', () => {
  test('the value of a credential is never returned', async () => {
    const made = await gateway.call('POST', '/api/v1/variables/', {
      name: 'SECRET',
      value: 'hide',
      type: 'Credential',
    });
    expect(made).toMatchObject({ status: 201, json: { name: 'SECRET', value: null, default_fields: [] } });
    expect((await gateway.call('GET', '/api/v1/variables/')).text).not.toContain('hide');
    const { id } = made.json as { id: string };
    expect((await gateway.call('PATCH', `/api/v1/variables/${id}`, { value: 'other' })).status).toBe(200);
    expect(await gateway.variables.value(gateway.user.id, 'SECRET')).toBe('other');
    expect((await gateway.call('GET', `/api/v1/variables/${id}`)).headers.get('allow')).toBe('PATCH');
    expect((await gateway.call('DELETE', `/api/v1/variables/${id}`)).status).toBe(204);
    expect(await gateway.call('DELETE', `/api/v1/variables/${id}`)).toMatchObject({
      status: 404,
      json: { detail: 'Variable not found' },
    });
  });

  test('each change is announced to the other processes', async () => {
    const { bus, names, user } = gateway;
    const announced: unknown[] = [];
    await bus.provision(controlTopology(names, 'a-process'));
    await bus.consume(names.control('a-process'), { prefetch: 10, noAck: true }, async ({ body }) => {
      announced.push(JSON.parse(body.toString()));
      return 'done';
    });
    const made = await gateway.call('POST', '/api/v1/variables/', { name: 'ANNOUNCED', value: 'one' });
    const path = `/api/v1/variables/${(made.json as { id: string }).id}`;
    const change = { kind: 'variables-changed', userId: user.id };
    await until(() => announced.length === 1);
    await gateway.call('PATCH', path, { value: 'two' });
    await until(() => announced.length === 2);
    await gateway.call('DELETE', path);
    await until(() => announced.length === 3);
    expect(announced).toEqual([change, change, change]);
  });

  test('one of no type is a credential, and the key of a provider is listed as valid', async () => {
    const make = async (body: object) =>
      (await gateway.call('POST', '/api/v1/variables/', { value: 'hide', ...body })).json;
    expect(await make({ name: 'GROQ_API_KEY' })).toMatchObject({
      type: 'Credential',
      value: null,
      is_valid: null,
    });
    await make({ name: 'OTHER', type: '' });
    const listed = (await gateway.call('GET', '/api/v1/variables/')).json;
    expect(listed).toMatchObject([
      { name: 'GROQ_API_KEY', is_valid: true },
      { name: 'OTHER', type: 'Credential', is_valid: null },
    ]);
  });

  test.each([
    [{ name: '', value: 'x' }, 400, 'Variable name cannot be empty'],
    [{ name: 'x', value: '' }, 400, 'Variable value cannot be empty'],
    [{ name: '', value: '' }, 400, 'Variable name and value cannot be empty'],
  ])('%j is refused', async (body, status, detail) => {
    expect(await gateway.call('POST', '/api/v1/variables/', body)).toMatchObject({
      status,
      json: { detail },
    });
  });
});
