import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '@millrace/service/testing';
import { TcpProxy } from '@millrace/testing';
import type { Browser } from 'playwright-core';
import { openConsole, startBrowser } from './console-browser';
import type { ConsolePage } from './console-browser';
import { startTestSystem } from './test-system';
import type { TestSystem } from './test-system';

const DEAD = 100;
let system: TestSystem;
let broker: TcpProxy;
let browser: Browser;
let console_: ConsolePage;

beforeAll(async () => {
  system = await startTestSystem({
    async route(urls) {
      const address = new URL(urls.broker);
      broker = await TcpProxy.listen({ host: address.hostname, port: Number(address.port || 5672) });
      address.host = `127.0.0.1:${broker.port}`;
      return { ...urls, broker: address.href };
    },
  });
  browser = await startBrowser();
  console_ = await openConsole(browser, system.url, system.key);
}, 180_000);

afterAll(async () => {
  await browser?.close();
  await system?.stop();
  await broker?.close();
}, 60_000);

test('dead letters are replayed together after one question', async () => {
  const { page, visit, offences } = console_;
  const flow = await system.upload('order-webhook', ({ data }) => {
    for (const node of data.nodes as { data: { type: string } }[])
      if (node.data.type === 'ParserComponent') node.data.type = 'NoSuchComponent';
  });
  await Promise.all(
    Array.from({ length: DEAD }, (_, quantity) =>
      system.post(`/api/v1/webhook/${flow.endpoint}`, { customer: 'Ann', quantity, product: 'pencils' }),
    ),
  );
  const ended = async (status: string) =>
    (await system.getJson<{ runs: unknown[] }>(`/api/v1/runs?flow_id=${flow.id}&status=${status}&limit=200`))
      .runs.length;
  await until(async () => (await ended('failed')) === DEAD);
  const { data } = JSON.parse(readFileSync(join(__dirname, '../../examples/order-webhook.json'), 'utf8')) as {
    data: unknown;
  };
  const { headers } = system;
  await fetch(`${system.url}/api/v1/flows/${flow.id}`, {
    method: 'PATCH',
    headers,
    body: JSON.stringify({ data }),
  });
  // A run becomes dead when its executor crashes at each attempt, which takes minutes for a hundred runs.
  await system.database.query(
    `UPDATE runs SET status = 'dead', failure = regexp_replace(failure, '"code":"[a-z_]+"', '"code":"attempts_exhausted"')
     WHERE flow_id = $1`,
    [flow.id],
  );
  expect(await ended('dead')).toBe(DEAD);
  await visit('/dead-letters');
  await page.getByText(`${DEAD} runs`).first().waitFor();
  await page.getByRole('button', { name: 'Replay matching' }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: `Replay ${DEAD} runs` })
    .click();
  await page.getByText(`${DEAD} runs replayed`).waitFor();
  await until(async () => (await ended('succeeded')) === DEAD);
  await visit(`/runs?flow=${flow.id}&status=succeeded`);
  await page.getByText(`${DEAD} runs`).first().waitFor();
  expect(offences).toEqual([]);
}, 180_000);

test('the list of runs changes by itself', async () => {
  const { page, visit } = console_;
  const flow = await system.upload('echo');
  await visit(`/runs?flow=${flow.id}`);
  await page.getByText('No run matches').waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
  await system.post(`/api/v1/run/${flow.endpoint}`, { input_value: 'hello' });
  await page.locator('.runs-body .state.good').waitFor();
}, 120_000);

test('a hidden page has no stream, and shows what it missed when it is shown again', async () => {
  const { page, visit } = console_;
  const flow = await system.upload('echo');
  await visit(`/runs?flow=${flow.id}`);
  await page.getByText('Live', { exact: true }).waitFor();
  // Headless browsers show all of their pages.
  const setHidden = (isHidden: boolean) =>
    page.evaluate(`Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${String(isHidden)} });
      document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`);
  const closed = page.waitForEvent('requestfailed', (request) =>
    request.url().endsWith('/api/v1/runs/events'),
  );
  await setHidden(true);
  await closed;
  await system.post(`/api/v1/run/${flow.endpoint}`, { input_value: 'hello' });
  await setHidden(false);
  await page.locator('.runs-body .state.good').waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
}, 120_000);

test('a run goes on in the page when the gateway is restarted', async () => {
  const { page, visit } = console_;
  const flow = await system.upload('chat');
  await visit(`/flows/${flow.id}?tab=playground`);
  await page.getByLabel('Message', { exact: true }).fill('[[tokens=80 interval=50]]');
  await page.keyboard.press('Enter');
  const texts = page.locator('.messages .value-text');
  await until(async () => (await texts.count()) > 1 && (await texts.last().innerText()).length > 40);
  const { port } = new URL(system.url);
  await system.gateway.stop();
  await page
    .getByText(/The connection was lost|The server does not answer/)
    .first()
    .waitFor();
  await system.startService({
    app: 'gateway',
    environment: {
      PORT: port,
      INGEST_URL: `http://127.0.0.1:${system.ingestPort}`,
      MILLRACE_BOOTSTRAP_API_KEY: system.key,
    },
  });
  await page.getByRole('button', { name: 'Send' }).waitFor();
  const { runs } = await system.getJson<{ runs: { id: string }[] }>(
    `/api/v1/runs?flow_id=${flow.id}&limit=1`,
  );
  const { result } = await system.getJson<{ result: unknown }>(`/api/v1/runs/${runs[0]?.id ?? ''}`);
  const whole = (await texts.last().innerText()).trim();
  await until(async () => JSON.stringify(result).includes(JSON.stringify(whole).slice(1, -1)));
}, 180_000);

const order = (endpoint: string) =>
  system.post(`/api/v1/webhook/${endpoint}`, { customer: 'Ann', quantity: 1, product: 'pencils' });

test('while no executor is there, pages say so, show what is stored, and a webhook waits', async () => {
  const { page, visit } = console_;
  const flow = await system.upload('order-webhook');
  await order(flow.endpoint);
  await visit(`/runs?flow=${flow.id}`);
  await page.locator('.runs-body .state.good').waitFor();
  for (const executor of system.executors) await executor.stop();
  const banner = page.locator('.banner');
  await banner.getByText('No executor is connected').waitFor();
  expect((await order(flow.endpoint)).status).toBe(202);
  await page
    .locator('.runs-body')
    .getByText(/^(accepted|queued)$/)
    .waitFor();
  await page.locator('.runs-body .runs-row', { hasText: 'succeeded' }).getByRole('link').click();
  await page.getByRole('tab', { name: 'Output' }).click();
  await page.getByRole('tabpanel').getByText('pencils').first().waitFor();
  await banner.getByText('No executor is connected').waitFor();
  await system.startExecutor();
  await visit(`/runs?flow=${flow.id}`);
  await until(async () => (await page.locator('.runs-body .state.good').count()) === 2);
  await banner.waitFor({ state: 'detached' });
}, 180_000);

test('while the broker is down, pages say so and show what is stored; afterwards what was accepted runs', async () => {
  const { page, visit, offences } = console_;
  const flow = await system.upload('order-webhook');
  await order(flow.endpoint);
  await visit(`/runs?flow=${flow.id}`);
  await page.locator('.runs-body .state.good').waitFor();
  broker.set({ isRefusing: true });
  broker.cut();
  await page.locator('.banner').getByText('The broker is unavailable').waitFor();
  expect((await order(flow.endpoint)).status).toBe(202);
  await visit(`/runs?flow=${flow.id}`);
  await page.locator('.runs-body').getByText('accepted', { exact: true }).waitFor();
  await page.locator('.runs-body .runs-row', { hasText: 'succeeded' }).getByRole('link').click();
  await page.locator('.vertex').first().waitFor();
  broker.clear();
  await page.locator('.banner').waitFor({ state: 'detached' });
  await visit(`/runs?flow=${flow.id}`);
  await until(async () => (await page.locator('.runs-body .state.good').count()) === 2);
  expect(offences).toEqual([]);
}, 180_000);
