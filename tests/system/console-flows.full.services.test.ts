import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '@millrace/service/testing';
import { forAllTests } from '@millrace/testing';
import { accessibilityViolations } from './console-browser';
import type { ConsolePage } from './console-browser';
import { HOSTILE, startConsoleSystem } from './console-standalone';
import type { ConsoleSystem } from './console-standalone';

let admin: ConsolePage;
let call: ConsoleSystem['call'];

const system = forAllTests(startConsoleSystem);
beforeAll(async () => {
  ({ admin, call } = system);
}, 180_000);

const serverOn = async (server: Server): Promise<string> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

const newFlow = (example: string, endpoint: string, settings: unknown = {}) =>
  system.newFlow(example, { name: endpoint, endpoint_name: endpoint, settings });

test('the webhook tab shows a delivery with its payload and its run, and what was refused', async () => {
  const { page, visit } = admin;
  const { id } = await newFlow('order-webhook', 'console-orders');
  await visit(`/flows/${id}?tab=webhook`);
  await page.getByText('Nothing has arrived').waitFor();
  await page.getByText('Nothing was refused').waitFor();
  const address = `${system.url}/api/v1/webhook/console-orders`;
  const order = { customer: 'Ann', quantity: 41, product: 'pencils' };
  await fetch(address, { method: 'POST', body: JSON.stringify(order), headers: { 'x-api-key': 'sk-wrong' } });
  await call('POST', '/api/v1/webhook/console-orders', order);
  const deliveries = page.locator('.card', { hasText: 'Last deliveries' });
  await deliveries.locator('.state.good').waitFor();
  await deliveries.getByRole('button', { name: 'Payload' }).click();
  await deliveries.getByText('41').first().waitFor();
  const refused = page.locator('.card', { hasText: 'Refused deliveries' });
  await refused.getByText('key_invalid').waitFor();
  await deliveries.locator('a.mono').first().click();
  await page.locator('h1 .state.good').waitFor();
  await page.getByText('webhook · background').waitFor();
  expect(admin.offences).toEqual([]);
}, 120_000);

test('a run that was tried again shows its attempts with worker and reason', async () => {
  const { page, visit } = admin;
  const retry = { attempts: 2, backoffSeconds: 1 };
  await newFlow('chat', 'console-retried', { retry, durable: true });
  const answer = await fetch(`${system.url}/api/v1/run/console-retried`, {
    method: 'POST',
    headers: { 'x-api-key': system.key, 'content-type': 'application/json', prefer: 'respond-async' },
    body: JSON.stringify({ input_value: '[[status=400 times=1 id=console-attempts]]' }),
  });
  expect(answer.status).toBe(202);
  await visit(`/runs/${answer.headers.get('x-run-id') ?? ''}?tab=attempts`);
  await page.locator('h1 .state.good').waitFor();
  const rows = page.getByRole('tabpanel').locator('tbody tr');
  await until(async () => (await rows.count()) === 2);
  await rows.first().getByText('failed', { exact: true }).waitFor();
  await rows.first().getByText('The retry rule of the flow permitted').waitFor();
  await rows.last().getByText('succeeded').waitFor();
  expect(await rows.first().locator('td').nth(2).innerText()).not.toBe('not known');
}, 120_000);

test('a callback that its receiver refused is replayed', async () => {
  const { page, visit } = admin;
  let status = 410;
  const receiver = createServer((_, response) => response.writeHead(status).end('<b>not wanted</b>'));
  const receiverUrl = `${await serverOn(receiver)}/ends`;
  try {
    await call('POST', '/api/v1/variables/', {
      name: 'CALLBACK_SECRET',
      value: `whsec_${'a'.repeat(32)}`,
      type: 'Credential',
    });
    const callbacks = [{ url: receiverUrl, secrets: ['CALLBACK_SECRET'] }];
    const { id } = await newFlow('order-webhook', 'console-reported', { callbacks });
    await call('POST', '/api/v1/webhook/console-reported', {
      customer: 'Ann',
      quantity: 1,
      product: 'pencils',
    });
    await visit(`/flows/${id}?tab=callbacks`);
    const last = page.locator('.card', { hasText: 'Last callbacks' });
    await last.locator('.state.dead').waitFor();
    await last.getByRole('button', { name: 'Attempts' }).click();
    await last.getByText('<b>not wanted</b>').waitFor();
    status = 204;
    await last.getByRole('button', { name: 'Replay' }).click();
    await last.locator('.state.good').waitFor();
    await visit('/callbacks');
    await page.getByRole('button', { name: 'delivered', exact: true }).click();
    await page.getByText(receiverUrl).waitFor();
    await page.getByRole('link', { name: 'console-reported' }).waitFor();
  } finally {
    await new Promise((resolve) => receiver.close(resolve));
  }
}, 120_000);

test('schedules of each kind are made with their next times, and listed', async () => {
  const { page, visit } = admin;
  const { id } = await newFlow('echo', 'console-scheduled');
  const create = async (name: string, kind: string, fill: () => Promise<unknown>) => {
    await page.getByRole('button', { name: 'New trigger' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill(name);
    await dialog.getByLabel('Kind').selectOption(kind);
    await fill();
    await dialog.getByText(/^Next: .*\d/).waitFor();
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: new RegExp(name) }).waitFor();
  };
  await visit(`/flows/${id}?tab=triggers`);
  await create('on weekdays', 'cron', () => page.getByLabel('Cron expression').fill('0 8 * * 1-5'));
  await create('again and again', 'interval', () => page.getByLabel('Every').fill('45'));
  await create('at once', 'once', () => page.getByLabel('Time', { exact: true }).fill('2099-01-31T10:00'));
  await visit('/schedules');
  await page.getByText('0 8 * * 1-5').waitFor();
  await page.getByText('every 45 minutes').waitFor();
  await page.getByText('once, at 2099-01-31T10:00').waitFor();
}, 120_000);

test('a view is saved with its name, opened in another tab, and forgotten', async () => {
  const { page, visit } = admin;
  await visit('/runs?status=failed&origin=webhook');
  await page.getByRole('button', { name: 'Views' }).click();
  await page.getByRole('menuitem', { name: 'Save this view' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('My broken webhooks');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  const other = await page.context().newPage();
  await other.goto(`${system.url}/runs`);
  await other.getByRole('button', { name: 'Views' }).click();
  await other.getByRole('menuitem', { name: 'My broken webhooks' }).click();
  await until(async () => other.url().includes('status=failed') && other.url().includes('origin=webhook'));
  await other.getByRole('button', { name: 'Views' }).click();
  await other.getByRole('menuitem', { name: 'Forget this view' }).click();
  await other.reload();
  await other.getByRole('button', { name: 'Views' }).click();
  await other.getByRole('menuitem', { name: 'Save this view' }).waitFor();
  expect(await other.getByRole('menuitem', { name: 'My broken webhooks' }).count()).toBe(0);
  await other.close();
}, 120_000);

test('a page on another port of the host can use the session neither to read nor to change anything', async () => {
  const names = async () =>
    (await call<{ name: string }[]>('GET', '/api/v1/variables/')).map(({ name }) => name).sort();
  const before = await names();
  const foreign = createServer((_, response) =>
    response.writeHead(200, { 'content-type': 'text/html' })
      .end(`<form method="post" enctype="text/plain" action="${system.url}/api/v1/variables/">
        <input name='{"name": "FORGED", "type": "Generic", "value": "' value='"}'><button>Win a prize</button></form>`),
  );
  const page = await admin.page.context().newPage();
  try {
    await page.goto(await serverOn(foreign));
    const sent: { readonly status: number; readonly cookie: string | undefined }[] = [];
    page.on('response', (response) => {
      if (!response.url().startsWith(system.url)) return;
      void response
        .request()
        .allHeaders()
        .then(({ cookie }) => sent.push({ status: response.status(), cookie }));
    });
    const target = JSON.stringify(`${system.url}/api/v1/variables/`);
    const body = JSON.stringify(JSON.stringify({ name: 'FORGED', type: 'Generic', value: 'x' }));
    const read = await page.evaluate<string>(
      `fetch(${target}, { credentials: 'include' }).then((answer) => answer.text(), () => 'blocked')`,
    );
    const withHeader = await page.evaluate<string>(
      `fetch(${target}, { method: 'POST', credentials: 'include', body: ${body},
        headers: { 'content-type': 'application/json', 'x-millrace-console': '1' } }).then((answer) => answer.text(), () => 'blocked')`,
    );
    await page.evaluate(
      `fetch(${target}, { method: 'POST', credentials: 'include', mode: 'no-cors', body: ${body} }).then(() => undefined)`,
    );
    expect([read, withHeader]).toEqual(['blocked', 'blocked']);
    await page.getByRole('button', { name: 'Win a prize' }).click();
    // The browser sends the cookie, since ports do not make a site: the server has to refuse.
    await until(() => sent.length >= 2 && sent.some(({ cookie }) => cookie?.includes('millrace_session')));
    expect(sent.map(({ status }) => Math.floor(status / 100))).toEqual(sent.map(() => 4));
    expect(await names()).toEqual(before);
  } finally {
    await page.close();
    await new Promise((resolve) => foreign.close(resolve));
  }
}, 120_000);

test('hostile names of files are shown as text', async () => {
  const { page, visit, offences } = admin;
  // Browsers permit no slash in the name of a file.
  const names = HOSTILE.map((text) => `${text.replaceAll('/', '').slice(0, 100)}.json`);
  const [first = ''] = names;
  const files = names.map((name) => ({
    name,
    mimeType: 'application/json',
    buffer: Buffer.from('{"no": "flow"}'),
  }));
  await visit('/flows');
  await page.getByRole('button', { name: 'Import' }).click();
  await page.getByLabel('Files to import').setInputFiles(files);
  await page.getByRole('dialog').getByRole('button', { name: 'Import', exact: true }).click();
  await page.getByRole('dialog').getByText(first, { exact: true }).waitFor();
  await until(async () => (await page.getByRole('dialog').getByRole('alert').count()) === names.length);
  const { id } = await newFlow('chat', 'console-files');
  await visit(`/flows/${id}?tab=playground`);
  await page.getByText('Files and other inputs').click();
  await page.getByLabel(/Files/).setInputFiles(files);
  await page.getByText('Uploaded').waitFor();
  await page.getByLabel('Message', { exact: true }).fill('Read them');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Stop' }).waitFor();
  await page.getByRole('button', { name: 'Send' }).waitFor();
  await page.locator('.messages').getByRole('link', { name: 'run' }).last().click();
  await page.locator('h1 .state').waitFor();
  await page.getByRole('tab', { name: 'Request' }).click();
  await page.getByRole('tabpanel').getByText('onerror').first().waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
  expect(offences).toEqual([]);
}, 180_000);

test('settings are set by a form, and those without a field as JSON', async () => {
  const { page, visit } = admin;
  const answeredBy = ['superusers'];
  const { id } = await newFlow('echo', 'console-settings', { answeredBy, records: 'lean' });
  const stored = async () => (await call<{ settings: unknown }>('GET', `/api/v1/flows/${id}`)).settings;
  await visit(`/flows/${id}?tab=settings`);
  await page.getByLabel('Concurrency').fill('3');
  await page.getByLabel('Deadline, in seconds').fill('30');
  await page.getByLabel('Sessions').selectOption('own');
  const retry = page.getByRole('group', { name: 'Retry' });
  await retry.getByLabel('Backoff, in seconds', { exact: true }).fill('7');
  await retry.getByLabel('python_busy').check();
  const records = page.getByRole('group', { name: 'Records' });
  expect(await records.getByLabel('Runs').inputValue()).toBe('lean');
  await records.getByLabel('Sample rate').fill('0.5');
  await records.getByLabel('Steps').selectOption('off');
  // The browser names the field that is missing.
  await page.getByRole('button', { name: 'Save' }).click();
  expect(await stored()).toEqual({ answeredBy, records: 'lean' });
  await retry.getByLabel('Attempts').fill('4');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The settings apply from the next run on').waitFor();
  expect(await stored()).toEqual({
    answeredBy,
    concurrency: 3,
    deadlineSeconds: 30,
    sessions: 'own',
    retry: { attempts: 4, backoffSeconds: 7, on: ['python_busy'] },
    records: { runs: 'lean', sampleRate: 0.5, steps: 'off' },
  });
  expect(await accessibilityViolations(page)).toEqual([]);
  await page.getByLabel('Concurrency').fill('');
  await page.getByRole('button', { name: 'JSON', exact: true }).click();
  const json = page.getByRole('textbox', { name: 'JSON' });
  expect(JSON.parse(await json.inputValue())).not.toHaveProperty('concurrency');
  await json.fill('{"concurrency": 0}');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('alert').getByText('concurrency').waitFor();
  await json.fill('{"pool": "default"}');
  await page.getByRole('button', { name: 'Save' }).click();
  await until(async () => JSON.stringify(await stored()) === '{"pool":"default"}');
}, 120_000);
