import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { followForms, startTestIssuer } from '@millrace/gateway/testing';
import { openCliServer } from '../testing/cli-server.fixture';
import type { CliServer } from '../testing/cli-server.fixture';
import { cli } from '../testing/test-shell';

type TestIssuer = Awaited<ReturnType<typeof startTestIssuer>>;

let issuer: TestIssuer;
let server: CliServer;

beforeAll(async () => {
  const client = {
    client_id: 'cli',
    token_endpoint_auth_method: 'none',
    application_type: 'native',
    grant_types: ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
    redirect_uris: [],
    response_types: [],
  };
  issuer = await startTestIssuer({ clients: [client], groups: { ann: ['builders'] }, idTokenSeconds: 20 });
  const acme = {
    name: 'acme',
    issuer: issuer.url,
    cli_client_id: 'cli',
    scope: 'openid profile groups',
    roles: { builders: 'manage' },
  };
  server = await openCliServer({ MILLRACE_ISSUERS: JSON.stringify([acme]) });
}, 120_000);
afterAll(() => Promise.all([server?.close(), issuer?.stop()]));

const profileKey = () =>
  (
    JSON.parse(
      readFileSync(join(server.folder, 'config', 'millrace', 'profiles', 'default.json'), 'utf8'),
    ) as {
      readonly key: string;
    }
  ).key;

/** Signs in with an account that confirms the code as soon as it is printed. */
function signIn(account: string) {
  let confirming: Promise<unknown> = Promise.resolve();
  const { environment, url } = server;
  const onFaults = (text: string) => {
    const address = /Open (\S+) and confirm the code/.exec(text)?.[1];
    if (address !== undefined)
      confirming = followForms(address, { fields: { login: account, password: 'any' } });
  };
  return cli(['login', '--url', url, '--sign-on'], { environment, onFaults }).then(async (result) => {
    await confirming;
    return result;
  });
}

test('a person signs in by a code, and the token of the profile is renewed before it expires', async () => {
  const { environment, url } = server;
  expect(await signIn('ann')).toMatchObject({
    code: 0,
    output: `Profile default: ${url}, user ann (acme)\n`,
  });
  const first = profileKey();
  // Two tokens that the issuer makes in the same second are equal.
  await sleep(1_100);
  const created = await cli(['variables', 'set', 'NAME', '--json'], { environment, input: 'value' });
  expect([created.code, created.faults]).toEqual([0, '']);
  const shown = await cli(['profile', 'show'], { environment });
  expect(shown).toMatchObject({ code: 0, output: `${url}, user ann (acme)\n` });
  // The token expires in 20 s, so that each command renews it.
  expect(profileKey()).not.toBe(first);
}, 120_000);

test('a person without a role, and a server without issuers, are named', async () => {
  expect(await signIn('bob')).toMatchObject({ code: 77, faults: expect.stringContaining('no role') });
  const { environment, url } = server;
  const other = await cli(['login', '--url', url, '--sign-on', 'other'], { environment });
  expect(other).toMatchObject({ code: 78, faults: expect.stringContaining('has no issuer "other"') });
}, 120_000);
