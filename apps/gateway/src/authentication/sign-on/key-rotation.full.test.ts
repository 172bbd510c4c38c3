import { until } from '@millrace/service/testing';
import { openTestGateway } from '../../testing/test-gateway';
import { startTestIssuer } from '../../testing/test-issuer';

const client = {
  client_id: 'program',
  client_secret: 'secret',
  grant_types: ['client_credentials'],
  redirect_uris: [],
  response_types: [],
};

test('tokens of a new key are accepted after a pause, and an issuer that is away costs one request', async () => {
  const issuer = await startTestIssuer({ clients: [client], groups: {} });
  const one = { name: 'one', issuer: issuer.url, audience: 'millrace', roles: { '*': 'manage' } };
  const gateway = await openTestGateway({ environment: { MILLRACE_ISSUERS: JSON.stringify([one]) } });
  const statusOf = async (token: string) => {
    const headers = { 'x-api-key': '', authorization: `Bearer ${token}` };
    return (await gateway.call('GET', '/api/v1/users/whoami', undefined, headers)).status;
  };
  try {
    await issuer.fail();
    const unknown = await Promise.all(Array.from({ length: 20 }, () => statusOf('eyJpc3MiOiJ4In0.e30.AA')));
    expect(new Set(unknown)).toEqual(new Set([401]));
    await issuer.recover();
    const before = await issuer.programToken('program', 'secret');
    await issuer.fail();
    expect(new Set(await Promise.all(Array.from({ length: 20 }, () => statusOf(before))))).toEqual(
      new Set([503]),
    );
    await issuer.recover();
    await until(async () => (await statusOf(before)) === 200);
    await issuer.rotate();
    const after = await issuer.programToken('program', 'secret');
    expect(await statusOf(before)).toBe(200);
    await until(async () => (await statusOf(after)) === 200);
    await issuer.fail();
    expect(await statusOf(after)).toBe(200);
  } finally {
    await gateway.close();
    await issuer.stop();
  }
}, 120_000);
