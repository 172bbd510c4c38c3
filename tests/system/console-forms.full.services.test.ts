import { createHmac } from 'node:crypto';
import { until } from '@millrace/service/testing';
import { forAllTests } from '@millrace/testing';
import { accessibilityViolations, openConsole } from './console-browser';
import type { ConsolePage } from './console-browser';
import { HOSTILE, readExample, startConsoleSystem } from './console-standalone';
import type { ConsoleSystem } from './console-standalone';

let admin: ConsolePage;
let call: ConsoleSystem['call'];
let newFlow: ConsoleSystem['newFlow'];

const system = forAllTests(startConsoleSystem);
beforeAll(async () => {
  ({ admin, call, newFlow } = system);
}, 180_000);

const settingsOf = async (flow: string) =>
  (await call<{ settings: unknown }>('GET', `/api/v1/flows/${flow}`)).settings;
const dialog = () => admin.page.getByRole('dialog');

test('a schedule is made, changed, paused and deleted on one page, which has its firings', async () => {
  const { page, visit, offences } = admin;
  const { id } = await newFlow('echo', { name: 'Scheduled' });
  await visit('/schedules');
  await page.getByRole('button', { name: 'New schedule' }).click();
  await dialog().getByLabel('Flow').selectOption(id);
  await dialog().getByLabel('Name').fill('every second');
  await dialog().getByLabel('Kind').selectOption('interval');
  await dialog().getByLabel('Every').fill('1');
  await dialog().getByLabel('Unit').selectOption('seconds');
  await dialog().getByText('Sessions, limit and attempts').click();
  await dialog().getByLabel('Concurrency limit').fill('2');
  expect(await accessibilityViolations(page)).toEqual([]);
  await dialog().getByRole('button', { name: 'Create' }).click();
  const row = page.getByRole('row').filter({ hasText: 'every second' });
  await row.getByRole('button', { name: 'Events' }).click();
  await page.locator('td.detail').getByText('completed').first().waitFor();
  await page.locator('td.detail').getByRole('link').first().waitFor();
  await row.getByRole('button', { name: 'Edit' }).click();
  expect(await dialog().getByLabel('Unit').inputValue()).toBe('seconds');
  await dialog().getByLabel('Name').fill('every two hours');
  await dialog().getByLabel('Every').fill('2');
  await dialog().getByLabel('Unit').selectOption('hours');
  await dialog().getByText('Sessions, limit and attempts').click();
  expect(await dialog().getByLabel('Concurrency limit').inputValue()).toBe('2');
  await dialog().getByLabel('Concurrency limit').fill('');
  await dialog().getByRole('button', { name: 'Save' }).click();
  const changed = page.getByRole('row').filter({ hasText: 'every two hours' });
  await changed.getByText('every 2 hours').waitFor();
  const [stored] = await call<object[]>('GET', `/api/v1/triggers?flow_id=${id}`);
  expect(stored).toMatchObject({ concurrency_limit: 1, config: { every_seconds: 7_200 } });
  await changed.getByRole('button', { name: 'Pause' }).click();
  await changed.getByText('paused').waitFor();
  await changed.getByRole('button', { name: 'Delete' }).click();
  await dialog().getByRole('button', { name: 'Delete the trigger' }).click();
  await changed.waitFor({ state: 'detached' });
  expect(offences).toEqual([]);
}, 180_000);

test('a webhook gets its signature without JSON, and a signed test delivery shows its verdict', async () => {
  const { page, visit, offences } = admin;
  const { id } = await newFlow('order-webhook', { name: 'Signed' });
  await visit('/flows');
  await page.getByRole('link', { name: 'Webhook Signed' }).click();
  const form = page.locator('form', { hasText: 'Save the signature' });
  const save = () => page.getByRole('button', { name: 'Save the signature' }).click();
  const sendSigned = async () => {
    await page.getByRole('button', { name: 'Send it signed' }).click();
    await page.getByText('The signature was accepted').waitFor();
  };
  await save();
  await page.getByRole('region', { name: 'The new secret' }).waitFor();
  await sendSigned();
  expect(await settingsOf(id)).toEqual({
    webhook: { signature: { scheme: 'standard-webhooks', secrets: ['WEBHOOK_SECRET'] } },
  });
  // The next secret has a name of its own.
  let before = 'WEBHOOK_SECRET';
  await until(
    async () => (await page.getByLabel('Variable for a new secret').inputValue()) === 'WEBHOOK_SECRET_2',
  );
  for (const [scheme, title] of [
    ['standard-webhooks', 'Standard Webhooks'],
    ['github', 'GitHub'],
    ['stripe', 'Stripe'],
    ['slack', 'Slack'],
    ['hmac', 'Other HMAC'],
  ] as const) {
    const name = `SECRET_OF_${scheme.replace('-', '_').toUpperCase()}`;
    await form.getByRole('button', { name: title, exact: true }).click();
    expect(await form.getByLabel('Encoding').count()).toBe(scheme === 'hmac' ? 1 : 0);
    await page.getByLabel('Variable for a new secret').fill(name);
    await page.getByRole('button', { name: 'Save with a new secret' }).click();
    await until(() => form.getByLabel(name, { exact: true }).isChecked());
    await page.getByRole('region', { name: 'The new secret' }).waitFor();
    await form.getByLabel(before, { exact: true }).uncheck();
    before = name;
    await save();
    await until(async () => JSON.stringify(await settingsOf(id)).includes(`["${name}"]`));
    await page
      .getByLabel('Body of a signed test delivery')
      .fill(`{"customer":"Ann","quantity":3,"product":"pens","by":"${scheme}"}`);
    await sendSigned();
    expect(await settingsOf(id)).toEqual({ webhook: { signature: { scheme, secrets: [name] } } });
  }
  await page.getByRole('link', { name: 'Open its run' }).waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Remove it' }).click();
  await until(async () => JSON.stringify(await settingsOf(id)) === '{"webhook":{}}');
  expect(offences).toEqual([]);
}, 180_000);

test('the secret that a sender such as Stripe gave is stored with the rule, and is not shown', async () => {
  const { page, visit } = admin;
  const { id } = await newFlow('order-webhook', { name: 'Paid' });
  await visit('/flows');
  await page.getByRole('link', { name: 'Webhook Paid' }).click();
  await page.getByRole('button', { name: 'Stripe', exact: true }).click();
  await page.getByLabel('Secret that the sender gave you').fill('whsec_given');
  await page.getByLabel('Variable for a new secret').fill('STRIPE_GAVE');
  await page.getByRole('button', { name: 'Save the signature' }).click();
  await until(async () => JSON.stringify(await settingsOf(id)).includes('STRIPE_GAVE'));
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const body = '{"customer":"Ann","quantity":3,"product":"pens"}';
  const signature = createHmac('sha256', 'whsec_given').update(`${timestamp}.${body}`).digest('hex');
  const answer = await fetch(`${system.url}/api/v1/webhook/${id}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'stripe-signature': `t=${timestamp},v1=${signature}` },
    body,
  });
  expect(answer.ok).toBe(true);
  await page.getByRole('button', { name: 'Send it signed' }).waitFor();
  expect(await page.getByRole('region', { name: 'The new secret' }).count()).toBe(0);
}, 120_000);

test('a new secret is deleted again when its rule is refused', async () => {
  const { page, visit } = admin;
  const { id } = await newFlow('order-webhook', { name: 'Full' });
  const secrets = Array.from({ length: 10 }, (_, number) => `FULL_${number}`);
  for (const name of secrets)
    await call('POST', '/api/v1/variables/', { name, value: 'x', type: 'Credential', default_fields: [] });
  const rule = { webhook: { signature: { scheme: 'github', secrets } } };
  await call('PATCH', `/api/v1/flows/${id}`, { settings: rule });
  await visit('/flows');
  await page.getByRole('link', { name: 'Webhook Full' }).click();
  await page.getByLabel('Variable for a new secret').fill('ELEVENTH');
  await page.getByRole('button', { name: 'Save with a new secret' }).click();
  await page.getByRole('alert').waitFor();
  const variables = await call<{ name: string }[]>('GET', '/api/v1/variables/');
  expect(variables.map(({ name }) => name)).not.toContain('ELEVENTH');
  expect(await settingsOf(id)).toEqual(rule);
}, 120_000);

test('receivers of callbacks are added, changed and removed by a form', async () => {
  const { page, visit } = admin;
  const { id } = await newFlow('echo', { name: 'Reporting' });
  await call('POST', '/api/v1/variables/', {
    name: 'REPORTS',
    value: 's',
    type: 'Credential',
    default_fields: [],
  });
  await visit(`/flows/${id}?tab=callbacks`);
  await page.getByRole('button', { name: 'Add a callback' }).click();
  const first = page.getByRole('group', { name: 'Callback 1', exact: true });
  await first.getByLabel('Url').fill('https://example.test/ends');
  await first.getByLabel('REPORTS').check();
  await first.getByLabel('failed').check();
  await first.getByLabel('Result').selectOption('omit');
  await page.getByRole('button', { name: 'Save the receivers' }).click();
  await page.getByRole('cell', { name: 'https://example.test/ends' }).waitFor();
  expect(await settingsOf(id)).toEqual({
    callbacks: [{ url: 'https://example.test/ends', secrets: ['REPORTS'], on: ['failed'], result: 'omit' }],
  });
  await page.getByRole('button', { name: 'Add a callback' }).click();
  await page.getByRole('button', { name: 'Save the receivers' }).click();
  await page.getByRole('alert').getByText('callbacks').first().waitFor();
  await page.getByRole('button', { name: 'Remove callback 2' }).click();
  await page.getByRole('button', { name: 'Remove callback 1' }).click();
  await page.getByRole('button', { name: 'Save the receivers' }).click();
  await until(async () => JSON.stringify(await settingsOf(id)) === '{}');
}, 120_000);

test('a key is made with expiry, bounds and a limit, changed and rotated', async () => {
  const { page, visit } = admin;
  const { id } = await newFlow('echo', { name: 'Bounded flow' });
  const stored = async () =>
    (await call<{ api_keys: { id: string; name: string }[] }>('GET', '/api/v1/api_key/')).api_keys;
  await visit('/access/keys');
  await page.getByRole('button', { name: 'New key' }).click();
  await dialog().getByLabel('Name').fill('shop');
  await dialog().getByLabel('Expires at').fill('2099-01-31T10:00');
  await dialog().getByLabel('Access').selectOption('run_only');
  await dialog().getByLabel('Bounded flow').check();
  await dialog().getByLabel('Addresses').fill('203.0.113.0/24\n2001:db8::1');
  await dialog().getByLabel('Requests per second', { exact: true }).fill('5');
  await dialog().getByLabel('Tokens per day', { exact: true }).fill('1000');
  expect(await accessibilityViolations(page)).toEqual([]);
  await dialog().getByRole('button', { name: 'Create' }).click();
  await dialog().getByRole('region', { name: 'The new key' }).waitFor();
  await dialog().getByRole('button', { name: 'Done' }).click();
  const key = (await stored()).find(({ name }) => name === 'shop');
  expect(key).toMatchObject({
    scopes: ['run'],
    access: 'run_only',
    flows: [id],
    addresses: ['203.0.113.0/24', '2001:db8::1'],
    expires_at: expect.stringMatching(/^2099-01-3/),
  });
  const limits = () => call('GET', `/api/v1/limits/api_key/${key?.id}`);
  expect(await limits()).toMatchObject({ requests_per_second: 5, budget: { tokens_per_day: 1000 } });
  const row = page.getByRole('row').filter({ hasText: 'shop' });
  await row.getByText('run only').waitFor();
  await row.getByRole('button', { name: 'Edit' }).click();
  await until(
    async () => (await dialog().getByLabel('Requests per second', { exact: true }).inputValue()) === '5',
  );
  await dialog().getByLabel('Requests per second', { exact: true }).fill('');
  await dialog().getByLabel('Access').selectOption('');
  await dialog().getByRole('button', { name: 'Save' }).click();
  await dialog().waitFor({ state: 'detached' });
  expect(await limits()).toMatchObject({ requests_per_second: null, budget: { tokens_per_day: 1000 } });
  expect((await stored()).find(({ name }) => name === 'shop')).not.toHaveProperty('access');
  await row.getByRole('button', { name: 'Rotate' }).click();
  await dialog().getByLabel('Overlap, in seconds').fill('60');
  await dialog().getByRole('button', { name: 'Rotate' }).click();
  await dialog().getByRole('region', { name: 'The new key' }).waitFor();
  expect((await stored()).filter(({ name }) => name === 'shop')).toHaveLength(2);
}, 120_000);

test('the form of settings names the people who answer, whose ids are stored', async () => {
  const { page, visit } = admin;
  const { id: ann } = await call<{ id: string }>('POST', '/api/v1/users', { username: 'ann' });
  const { id } = await newFlow('echo', { name: 'Asking ann', settings: { answeredBy: ['ann'] } });
  await visit(`/flows/${id}?tab=settings`);
  const field = page.getByLabel('Answered by');
  await until(async () => (await field.inputValue()) === 'ann');
  await field.fill('ann\nsuperusers');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await until(async () => JSON.stringify(await settingsOf(id)).includes('superusers'));
  expect(await settingsOf(id)).toEqual({ answeredBy: [ann, 'superusers'] });
}, 60_000);

test('hostile names in forms are text, and the forms fit 360 px without a violation', async () => {
  const name = HOSTILE.join(' ').slice(0, 200);
  const { id } = await newFlow('order-webhook', { name });
  await call('POST', '/api/v1/variables/', { name, value: 's', type: 'Credential', default_fields: [] });
  await call('POST', '/api/v1/triggers', {
    flow_id: id,
    name,
    kind: 'inbound_webhook',
    state: 'active',
    config: {},
  });
  const tabs = ['triggers', 'settings', 'webhook', 'callbacks'].map((tab) => `/flows/${id}?tab=${tab}`);
  const faults = await system.faultsOf([...tabs, '/schedules', '/access/keys'], async (page) => {
    const { pathname, search } = new URL(page.url());
    if (search.includes('webhook')) await page.getByText('Stored secrets and options').click();
    if (/settings|webhook/.test(search)) return page.getByText('onerror').nth(1).waitFor();
    const opener =
      pathname === '/schedules'
        ? 'New schedule'
        : pathname === '/access/keys'
          ? 'New key'
          : /^(Edit|Add a callback)$/;
    return page.getByRole('button', { name: opener }).first().click();
  });
  expect(faults).toEqual([]);
}, 300_000);

test('the selected tab of a flow and the state that a list is filtered by are shown at 360 px', async () => {
  const { id } = await newFlow('echo', { name: 'Many tabs' });
  const { page, visit, close } = await openConsole(system.browser, system.url, system.key, { width: 360 });
  const expectInView = async (of: ReturnType<typeof page.locator>) => {
    const { x, width } = (await of.boundingBox()) ?? { x: -1, width: 0 };
    expect(x).toBeGreaterThanOrEqual(0);
    expect(x + width).toBeLessThanOrEqual(360);
  };
  for (const name of ['Callbacks', 'Graph', 'Settings']) {
    await visit(`/flows/${id}?tab=${name.toLowerCase()}`);
    await expectInView(page.getByRole('tab', { name, selected: true }));
  }
  await visit('/runs?status=dead');
  await expectInView(page.getByRole('button', { name: 'dead', pressed: true }));
  expect(await page.getByRole('button', { name: 'Replay matching' }).isDisabled()).toBe(true);
  await close();
}, 120_000);

test('the palette goes to pages, flows and runs by the keyboard, and the focus follows', async () => {
  const { page, visit, offences } = admin;
  const { id } = await newFlow('echo', { name: 'Palette flow' });
  await call('POST', `/api/v1/run/${id}`, { input_value: 'one' });
  await call('POST', `/api/v1/run/${id}`, { input_value: 'two' });
  await visit('/schedules');
  const focused = () => page.evaluate<string>('document.activeElement.innerText');
  const goTo = async (text: string) => {
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Page, flow or id of a run' }).fill(text);
    await page.getByRole('listbox').getByRole('option').first().waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.keyboard.press('Enter');
  };
  await goTo('usa');
  await until(async () => (await focused()) === 'Usage');
  await goTo('palette fl');
  await until(async () => (await focused()).startsWith('Palette flow'));
  const { runs } = await call<{ runs: { id: string }[] }>('GET', `/api/v1/runs?flow_id=${id}`);
  await goTo(runs[0]?.id ?? '');
  await until(async () => (await focused()).startsWith('Palette flow') && page.url().includes('/runs/'));
  await visit(`/runs?flow=${id}`);
  await page.locator('.runs-link').nth(1).waitFor();
  const row = () =>
    page.evaluate<string>(`document.activeElement.closest('[role="row"]')?.getAttribute('aria-rowindex')`);
  for (const [key, index] of [
    ['j', '2'],
    ['j', '3'],
    ['k', '2'],
  ] as const) {
    await page.keyboard.press(key);
    await until(async () => (await row()) === index);
  }
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/runs\/[0-9a-f-]{36}$/);
  const more = page.getByRole('button', { name: 'More' });
  await more.focus();
  await page.keyboard.press('ArrowDown');
  await until(async () => (await focused()).trim() === 'Compare with the run before');
  await page.keyboard.press('ArrowUp');
  await until(async () => (await focused()).trim() === 'Copy as curl');
  expect(await accessibilityViolations(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await until(async () => (await focused()).trim() === 'More');
  expect(await more.getAttribute('aria-expanded')).toBe('false');
  await page.getByRole('tab', { selected: true }).focus();
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await page.getByRole('tabpanel', { name: 'JSON' }).waitFor();
  expect(offences).toEqual([]);
}, 120_000);

test('a flow becomes a tool of MCP clients, and runs stock code in place of edited code, by one click each', async () => {
  const { page, visit, offences } = admin;
  const flow = readExample('echo');
  for (const { data } of flow.data.nodes)
    Object.assign(data.node, { edited: true, metadata: { code_hash: '0123456789ab' } });
  const { id } = await newFlow('echo', { ...flow, name: 'Edited flow' });
  await visit(`/flows/${id}`);
  await page.locator('h1 .state.bad').waitFor();
  await page.getByRole('button', { name: 'Run stock code in 2 vertices' }).click();
  await page.locator('h1 .state.warn').waitFor();
  await visit('/mcp');
  await page.getByLabel('Make a flow a tool').selectOption(id);
  const tool = page.getByRole('row').filter({ hasText: 'edited_flow' }).first();
  const isTool = async () =>
    (await call<{ mcp_enabled?: boolean }>('GET', `/api/v1/flows/${id}`)).mcp_enabled === true;
  await until(isTool);
  expect(await accessibilityViolations(page)).toEqual([]);
  await tool.getByRole('button', { name: 'Remove the tool' }).click();
  await tool.waitFor({ state: 'detached' });
  expect(await isTool()).toBe(false);
  await visit(`/flows/${id}?tab=api`);
  await page.getByRole('button', { name: 'Make it a tool' }).click();
  await until(isTool);
  // From the list of runs, by its name and one click.
  await visit('/runs');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Page, flow or id of a run' }).fill('edited');
  await page.getByRole('option', { name: 'Edited flow: remove the tool' }).click();
  await until(async () => !(await isTool()));
  await page.getByRole('heading', { name: 'MCP servers', level: 1 }).waitFor();
  // By the keyboard alone, from any page.
  for (const [words, wanted] of [
    ['edited make tool', true],
    ['edited remove tool', false],
  ] as const) {
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Page, flow or id of a run' }).fill(words);
    await page
      .getByRole('listbox')
      .getByRole('option', { name: /: (make|remove)/ })
      .waitFor();
    await page.keyboard.press('Enter');
    await until(async () => (await isTool()) === wanted);
    await page.getByRole('heading', { name: 'MCP servers', level: 1 }).waitFor();
  }
  expect(offences).toEqual([]);
}, 120_000);
