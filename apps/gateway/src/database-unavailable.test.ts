import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { recordingLogger } from '@millrace/service/testing';
import { gatewayForTests } from './testing/test-gateway';

const echo = JSON.parse(readFileSync(join(__dirname, '../../../examples/echo.json'), 'utf8')) as Record<
  string,
  unknown
>;

const logger = recordingLogger();
const gateway = gatewayForTests({ logger });
beforeAll(async () => {
  await gateway.createFlow({ ...echo, endpoint_name: 'echo' });
}, 60_000);

/** Makes all writes to a table fail. Resolves to a function that ends this. */
async function refuseWrites(table: string, state: string): Promise<() => Promise<unknown>> {
  await gateway.database.query({
    text: `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'refused' USING ERRCODE = '${state}'; END $$;
        CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON ${table} EXECUTE FUNCTION refuse()`,
  });
  return () => gateway.database.query({ text: 'DROP FUNCTION refuse CASCADE' });
}

describe.each([
  ['a full disk', '53100'],
  ['out of memory', '53200'],
  ['a read-only server', '25006'],
  ['a deadlock', '40P01'],
  ['a serialization failure', '40001'],
])('%s (%s)', (_, state) => {
  let end: () => Promise<unknown>;
  beforeEach(async () => {
    end = await refuseWrites('runs', state);
  });

  test('is database_unavailable for a call with an Idempotency-Key, which succeeds later', async () => {
    const call = () =>
      gateway.call('POST', '/api/v1/run/echo', { input_value: 'x' }, { 'idempotency-key': state });
    const refused = await call();
    expect([refused.status, refused.headers.get('x-error-code'), refused.headers.get('retry-after')]).toEqual(
      [503, 'database_unavailable', '1'],
    );
    await end();
    expect((await call()).status).toBe(200);
  });

  test('is database_unavailable for a background run', async () => {
    const headers = { prefer: 'respond-async' };
    const refused = await gateway.call('POST', '/api/v1/run/echo', { input_value: 'x' }, headers);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
    await end();
  });

  test('is database_unavailable for any other write', async () => {
    await end();
    end = await refuseWrites('flows', state);
    const flow = { ...echo, endpoint_name: 'other' };
    const refused = await gateway.call('POST', '/api/v1/flows/', flow);
    expect([refused.status, refused.headers.get('x-error-code'), refused.headers.get('retry-after')]).toEqual(
      [503, 'database_unavailable', '1'],
    );
    await end();
  });
});

test('the health check of a gateway without its database fails, and its process stays alive', async () => {
  await gateway.database.close();
  expect(await gateway.call('GET', '/health_check')).toMatchObject({
    status: 500,
    json: { detail: { status: 'nok', chat: 'ok', db: 'error check the server logs' } },
  });
  expect(logger.fieldsOf('health check failed')).toEqual([{ error: expect.any(Error) }]);
  expect((await gateway.call('GET', '/health')).status).toBe(200);
});
