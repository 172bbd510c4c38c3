import { freePort } from '@millrace/testing';
import { startTestIssuer } from '@millrace/gateway/testing';
import { until } from '@millrace/service/testing';
import { accessibilityViolations, openConsole } from './console-browser';
import { startConsoleSystem } from './console-standalone';
import type { ConsoleSystem } from './console-standalone';

let issuer: Awaited<ReturnType<typeof startTestIssuer>>;
let system: ConsoleSystem;

beforeAll(async () => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/api/v1/sign-on/acme`;
  const client = {
    client_id: 'console',
    client_secret: 'a secret of the tests',
    redirect_uris: [`${url}/callback`],
    grant_types: ['authorization_code'],
    response_types: ['code'],
    backchannel_logout_uri: `${url}/logout`,
    backchannel_logout_session_required: true,
  };
  issuer = await startTestIssuer({ clients: [client], groups: { ann: ['builders'] } });
  const acme = {
    name: 'acme',
    issuer: issuer.url,
    client_id: 'console',
    client_secret: client.client_secret,
    scope: 'openid profile groups',
    roles: { builders: 'manage' },
  };
  system = await startConsoleSystem({ port, environment: { MILLRACE_ISSUERS: JSON.stringify([acme]) } });
}, 300_000);

afterAll(async () => {
  await system?.stop();
  await issuer?.stop();
}, 60_000);

/** Opens a page of the console without a session, and signs in at the issuer. */
async function signInAs(account: string, path: string) {
  const opened = await openConsole(system.browser, system.url, undefined);
  const { page } = opened;
  await page.goto(system.url + path);
  await page.getByRole('link', { name: 'Sign in with acme' }).click();
  await page.locator('input[name=login]').fill(account);
  await page.locator('input[name=password]').fill('any');
  await page.locator('button[type=submit]').first().click();
  await page.getByRole('button', { name: 'Continue' }).click();
  return opened;
}

test('a person signs in at an issuer, sees the page that was open, and is out when the issuer says so', async () => {
  const { page, offences, close } = await signInAs('ann', '/flows');
  await page.getByRole('heading', { name: 'Flows', level: 1 }).waitFor();
  await page.getByText('ann (acme)').first().waitFor();
  // The issuer has the same host, whose cookies arrive at all of its ports.
  const cookies = (await page.context().cookies(system.url)).filter(({ name }) => /^millrace/.test(name));
  expect(cookies.map(({ name, httpOnly, sameSite }) => [name, httpOnly, sameSite])).toEqual([
    ['millrace_session', true, 'Strict'],
  ]);
  expect(await page.evaluate('document.cookie')).toBe('');
  const other = await page.context().newPage();
  await other.goto(`${issuer.url}/session/end`);
  await other.getByRole('button', { name: /yes/i }).click();
  const began = Date.now();
  await until(async () => (await page.evaluate<number>(STATUS)) === 401);
  process.stdout.write(`out ${Date.now() - began} ms after the sign-out at the issuer\n`);
  await page.reload();
  await page.getByRole('link', { name: 'Sign in with acme' }).waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
  expect(offences).toEqual([]);
  await close();
}, 300_000);

const STATUS = `fetch('/api/v1/console/session', { headers: { 'x-millrace-console': '1' } }).then(({ status }) => status)`;

test('a person without a role sees why', async () => {
  const { page, close } = await signInAs('bob', '/');
  await page.getByText('None of your groups has a role here.').waitFor();
  await close();
}, 300_000);
