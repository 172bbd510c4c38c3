import { until } from '@millrace/service/testing';
import type { Browser } from 'playwright-core';
import { forAllTests } from '@millrace/testing';
import { accessibilityViolations, openConsole } from './console-browser';
import type { ConsolePage } from './console-browser';
import { HOSTILE, readExample, startConsoleSystem } from './console-standalone';
import type { ConsoleSystem } from './console-standalone';

let browser: Browser;
let url: string;
let key: string;
let admin: ConsolePage;
let call: ConsoleSystem['call'];

const system = forAllTests(startConsoleSystem);
beforeAll(async () => {
  ({ browser, url, key, admin, call } = system);
}, 180_000);

const text = (selector: string) => admin.page.locator(selector).innerText();

test('an unknown key is refused with a reason, and the key is kept nowhere', async () => {
  const stranger = await openConsole(browser, url, undefined);
  await stranger.page.getByLabel('API key').fill('sk-unknown');
  await stranger.page.getByRole('button', { name: 'Sign in' }).click();
  await stranger.page.getByText('This key is unknown, inactive or expired.').waitFor();
  await stranger.close();
  expect(
    await admin.page.evaluate('JSON.stringify(localStorage) + document.cookie + location.href'),
  ).not.toContain('sk-');
}, 60_000);

test('a dropped file becomes a flow, which runs, and its tokens arrive one by one', async () => {
  const { page, visit } = admin;
  await visit('/flows');
  const flow = { ...readExample('chat'), name: 'Imported chat', endpoint_name: 'imported-chat' };
  await page.getByRole('button', { name: 'Import' }).click();
  await page.getByLabel('Files to import').setInputFiles({
    name: 'imported-chat.json',
    mimeType: 'application/json',
    buffer: Buffer.from(JSON.stringify(flow)),
  });
  await page.getByRole('dialog').getByRole('button', { name: 'Import', exact: true }).click();
  await page.getByRole('dialog').getByRole('link', { name: 'Imported chat' }).click();
  await page.getByRole('heading', { name: 'Imported chat', level: 1 }).waitFor();
  await page.getByRole('tab', { name: 'Playground' }).click();
  await page.getByLabel('Message', { exact: true }).fill('[[tokens=60 interval=40]]');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Stop' }).waitFor();
  const texts = page.locator('.messages .value-text');
  const lengths = new Set<number>();
  await until(async () => {
    if ((await texts.count()) > 1) lengths.add((await texts.last().innerText()).length);
    return (await page.getByRole('button', { name: 'Send' }).count()) > 0;
  });
  expect(lengths.size).toBeGreaterThan(3);
  await page.locator('.messages').getByRole('link', { name: 'run' }).last().click();
  await page.getByRole('heading', { name: /Imported chat/, level: 1 }).waitFor();
  expect(admin.offences).toEqual([]);
}, 120_000);

test('a failed run is found by a filter, shows the vertex with its message, and succeeds as a replay', async () => {
  const { page, visit } = admin;
  await call('POST', '/api/v1/run/chat', { input_value: '[[status=400 times=1 id=console]]' }).catch(
    () => undefined,
  );
  await visit('/runs');
  await page.getByRole('button', { name: /^failed/ }).click();
  await until(async () => page.url().includes('status=failed'));
  await page.locator('.runs').getByRole('link', { name: 'Chat with a model' }).first().click();
  await page.getByText('“Language Model” failed').waitFor();
  await page.locator('.vertex.bad').getByText('Language Model').waitFor();
  await page.locator('.vertex.bad').click();
  await page.getByRole('complementary', { name: 'Vertex Language Model' }).getByRole('alert').waitFor();
  const failed = page.url().split('?')[0];
  await page.keyboard.press('r');
  await page.getByRole('dialog').getByRole('button', { name: 'Replay', exact: true }).click();
  await until(async () => page.url().split('?')[0] !== failed);
  await page.locator('h1 .state.good').waitFor();
  expect(await page.getByText('Replay of').count()).toBe(1);
  expect(admin.offences).toEqual([]);
}, 120_000);

test('a webhook is replayed with a changed body, as the form of the flow would send it', async () => {
  const { run_id: id } = await call<{ run_id: string }>('POST', '/api/v1/webhook/order-webhook', {
    customer: 'Ann',
    quantity: 2,
    product: 'pens',
  });
  const { page, visit } = admin;
  await visit(`/runs/${id}?tab=output`);
  await page.locator('h1 .state.good').waitFor();
  await page.getByRole('button', { name: 'Replay' }).click();
  await page.getByLabel('Body of the webhook').fill('{"customer":"Zoe","quantity":99,"product":"pens"}');
  await page.getByRole('dialog').getByRole('button', { name: 'Replay', exact: true }).click();
  await until(async () => !page.url().includes(id));
  await page.locator('h1 .state.good').waitFor();
  await page.getByRole('tab', { name: 'Output' }).click();
  await page
    .getByText(/New order: 99 .*Zoe|Zoe.*99/)
    .first()
    .waitFor();
}, 120_000);

test('a run of a caller is replayed with another input, tweak and session', async () => {
  const { session_id: session } = await call<{ session_id: string }>('POST', '/api/v1/run/echo', {
    input_value: 'first',
    session_id: 'before',
  });
  expect(session).toBe('before');
  const { page, visit } = admin;
  await visit('/runs');
  await page.locator('.runs').getByRole('link', { name: 'Echo' }).first().click();
  await page.locator('h1 .state.good').waitFor();
  await page.getByRole('button', { name: 'Replay' }).click();
  await page.getByLabel('Input', { exact: true }).fill('second');
  await page.getByLabel('Tweaks, as JSON').fill('{"Chat Input":{"sender_name":"Zoe"}}');
  await page.getByLabel('Session', { exact: true }).fill('after');
  await page.getByRole('dialog').getByRole('button', { name: 'Replay', exact: true }).click();
  await page.getByText('Replay of').waitFor();
  await page.locator('h1 .state.good').waitFor();
  const messages = await call<readonly { text: string; sender_name: string }[]>(
    'GET',
    '/api/v1/monitor/messages?session_id=after',
  );
  expect(messages.map((message) => [message.text, message.sender_name])).toContainEqual(['second', 'Zoe']);
}, 120_000);

test('the page of a run that was started in the background shows its running and its finished vertices', async () => {
  const answer = await fetch(`${url}/api/v1/run/support-triage`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json', prefer: 'respond-async' },
    body: JSON.stringify({ input_value: '[[delay=600000]]' }),
  });
  const id = answer.headers.get('x-run-id') ?? '';
  const { page, visit } = admin;
  await visit(`/runs/${id}?tab=timeline`);
  await page.locator('.vertex.info').getByText('Smart Router').waitFor();
  await page.locator('.vertex.good').getByText('Chat Input').waitFor();
  await page.locator('.timeline').getByText('Smart Router').waitFor();
  await call('POST', `/api/v1/runs/${id}/cancel`);
  await page.locator('h1').getByText('cancelled').waitFor();
}, 120_000);

test('versions are compared and rolled back', async () => {
  const { page, visit } = admin;
  const good = readExample('order-webhook');
  const broken = structuredClone(good);
  for (const { data } of broken.data.nodes) if (data.type !== 'Webhook') data.type = 'NoSuchComponent';
  const { id } = await call<{ id: string }>('POST', '/api/v1/flows/', {
    ...good,
    name: 'Rolled back',
    endpoint_name: 'rolled-back',
  });
  await call('PATCH', `/api/v1/flows/${id}`, { data: broken.data });
  await visit(`/flows/${id}?tab=versions`);
  await page.locator('h1 .state.bad').waitFor();
  // The last change is shown at once.
  await page.getByText('type changed').first().waitFor();
  await page.getByRole('button', { name: 'Roll back' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Roll back' }).click();
  await page.getByText('Restored from 1').waitFor();
  await page.locator('h1 .state.good').waitFor();
}, 120_000);

test('an admin sees the runs of another user; a user does not see those of others', async () => {
  const ann = await call<{ api_key: string }>('POST', '/api/v1/users', { username: 'ann' });
  const flow = await call<{ id: string }>(
    'POST',
    '/api/v1/flows/',
    { ...readExample('echo'), name: "Ann's echo", endpoint_name: 'ann-echo' },
    ann.api_key,
  );
  await call('POST', `/api/v1/run/${flow.id}`, { input_value: 'hello' }, ann.api_key);
  const mine = await call<{ runs: { id: string }[] }>('GET', '/api/v1/runs?limit=1');
  const { page, visit } = admin;
  await visit(`/runs?flow=${flow.id}`);
  await page.getByText('No run matches').waitFor();
  await page.getByLabel('All users').check();
  await page.locator('.runs-user').getByText('ann', { exact: true }).waitFor();
  await page.locator('.runs-body').getByRole('link').first().click();
  await page.locator('h1 .state.good').waitFor();
  await page.getByRole('heading', { name: /Ann's echo/, level: 1 }).waitFor();
  await page.locator('.vertex').getByText('Chat Input').waitFor();
  await page.locator('dl').getByText('ann', { exact: true }).waitFor();
  for (const name of ['More', 'Replay', 'Cancel', 'Keep them for every run of this flow'])
    expect(await page.getByRole('button', { name }).count()).toBe(0);
  const user = await openConsole(browser, url, ann.api_key);
  expect(await user.page.getByRole('link', { name: 'Audit log' }).count()).toBe(0);
  await user.visit(`/runs/${mine.runs[0]?.id ?? ''}`);
  await user.page.getByText('It does not exist, or it belongs to another user').waitFor();
  await user.close();
}, 120_000);

test('a revoked session is signed out', async () => {
  const other = await openConsole(browser, url, key);
  await other.visit('/access/sessions');
  await admin.visit('/access/sessions');
  const { sessions } = await call<{ sessions: { id: string; created_at: string }[] }>(
    'GET',
    '/api/v1/console/sessions',
  );
  const [newest] = [...sessions].sort((one, two) => two.created_at.localeCompare(one.created_at));
  await call('DELETE', `/api/v1/console/sessions/${newest?.id ?? ''}`);
  await other.page.getByRole('link', { name: 'API keys' }).click();
  await other.page.getByLabel('API key').waitFor();
  await other.close();
}, 120_000);

test('hostile names, messages, outputs and errors are shown as text', async () => {
  const flow = readExample('echo');
  const name = HOSTILE.join(' ');
  for (const { data } of flow.data.nodes) {
    data.node['display_name'] = name;
    data.node['documentation'] = 'javascript:alert(7)';
    data.node['description'] = name;
  }
  const { id } = await call<{ id: string }>('POST', '/api/v1/flows/', {
    ...flow,
    name,
    description: name,
    endpoint_name: 'hostile',
    settings: { records: { sampleRate: 1, values: 'all' } },
  });
  for (const input of HOSTILE)
    await call('POST', `/api/v1/run/${id}`, { input_value: input, session_id: `hostile ${HOSTILE[0]}` });
  await call('POST', '/api/v1/run/order-totals', { input_value: name }).catch(() => undefined);
  const { page, visit, offences } = admin;
  const { runs } = await call<{ runs: { id: string; flow_id: string }[] }>('GET', '/api/v1/runs?limit=20');
  const own = runs.filter((run) => run.flow_id === id);
  const paths = [
    '/runs',
    '/runs?status=failed',
    '/flows',
    `/flows/${id}`,
    `/flows/${id}?tab=api`,
    ...own
      .slice(0, 2)
      .flatMap((run) => ['output', 'messages', 'request', 'json'].map((tab) => `/runs/${run.id}?tab=${tab}`)),
  ];
  for (const path of paths) {
    await visit(path);
    await until(async () => !(await page.locator('.busy').count()));
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
  }
  await visit(`/flows/${id}`);
  await page.locator('.vertex').first().click();
  expect(await page.getByRole('link', { name: 'Documentation of the component' }).count()).toBe(0);
  expect(offences).toEqual([]);
}, 180_000);

test('no page has a violation that axe finds, light or dark, or is wider than a phone', async () => {
  const { runs } = await call<{ runs: { id: string; flow_id: string }[] }>(
    'GET',
    '/api/v1/runs?status=failed&limit=1',
  );
  const flow = `/flows/${runs[0]?.flow_id ?? ''}`;
  const paths = [
    '/runs',
    `/runs/${runs[0]?.id ?? ''}`,
    `/runs/${runs[0]?.id ?? ''}?tab=request`,
    `/runs/${runs[0]?.id ?? ''}?tab=attempts`,
    '/flows',
    ...['graph', 'playground', 'versions', 'api', 'webhook', 'callbacks', 'triggers', 'settings'].map(
      (tab) => `${flow}?tab=${tab}`,
    ),
    '/pending',
    '/conversations',
    '/dead-letters',
    '/schedules',
    '/callbacks',
    '/mcp',
    '/history',
    '/usage',
    '/system/workers',
    '/system/health',
    '/system/settings',
    ...['keys', 'variables', 'sessions', 'users', 'code', 'audit'].map((name) => `/access/${name}`),
  ];
  const found: string[] = [];
  const { page, visit } = admin;
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme });
    for (const path of paths) {
      await visit(path);
      await until(async () => !(await page.locator('.busy').count()));
      for (const violation of await accessibilityViolations(page))
        found.push(`${path} (${theme}) ${violation}`);
    }
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 360, height: 740 });
  for (const path of paths) {
    await visit(path);
    await until(async () => !(await page.locator('.busy').count()));
    const width = await page.evaluate<number>('document.documentElement.scrollWidth');
    if (width > 360) found.push(`${path} has ${width} px`);
  }
  await page.setViewportSize({ width: 1280, height: 900 });
  const stranger = await openConsole(browser, url, undefined);
  found.push(...(await accessibilityViolations(stranger.page)));
  await stranger.close();
  expect(found).toEqual([]);
  expect(await text('h1')).toBe('Audit log');
}, 300_000);
