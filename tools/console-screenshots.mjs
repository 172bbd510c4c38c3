// `npm run console-screenshots`: starts everything in one process, runs some flows, and takes the pictures of the console
// that the documentation shows; with --to, of each page, light and dark, wide and narrow.
import './workspace/print-uncaught-errors.mjs';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCommandLine } from '../libs/service/src/options/command-line.cjs';
import { prepareWorkspace } from './workspace/prepare-workspace.mjs';
import { requireProgram } from './services/find-program.mjs';
import { workspaceRoot } from './workspace/workspace-root.mjs';

/** @typedef {{ readonly id: string, readonly flow_id: string, readonly endpoint_name?: string }} Named */

const { values } = readCommandLine({
  usage: `npm run console-screenshots -- [options]
  --to <folder>  takes pictures of all pages
  --png          PNG in place of WebP
  --help`,
  options: { to: { type: 'string' }, png: { type: 'boolean' } },
});
const folder = values.to ?? join(workspaceRoot, 'docs', 'use', 'console');
const format = values.png ? 'png' : 'webp';
const shown = new Set(
  ['README.md', ...globSync('docs/use/*.md', { cwd: workspaceRoot })].flatMap((file) =>
    [...readFileSync(join(workspaceRoot, file), 'utf8').matchAll(/console\/([\w-]+)\.webp/g)].map(
      ([, name]) => name,
    ),
  ),
);
const WIDTHS = /** @type {const} */ ([
  [1440, 900],
  [360, 740],
]);
const THEMES = /** @type {const} */ (['light', 'dark']);
const FAILURES = 6;
const ORDERS = 24;

prepareWorkspace({ build: ['apps/standalone', 'apps/model-server'] });
// They can be missing until the workspace is prepared.
const [{ startServiceProcess }, { chromium }] = await Promise.all([
  import('@millrace/scaled-system'),
  import('playwright-core'),
]);
const directory = mkdtempSync(join(tmpdir(), 'millrace-screenshots-'));
const prices = join(directory, 'prices.json');
const price = { input: 2.5, output: 10, maximumOutput: 4_096 };
writeFileSync(prices, JSON.stringify({ models: { echo: price, 'gpt-4o-mini': price } }));
const model = await startServiceProcess({
  app: 'model-server',
  environment: { PORT: '0', HOST: '127.0.0.1' },
});
const service = await startServiceProcess({
  app: 'standalone',
  flags: ['--port', '0', '--data', directory],
  environment: {
    DATABASE_URL: '',
    AMQP_URL: '',
    REDIS_URL: '',
    MILLRACE_OUTGOING_ALLOW: '127.0.0.1/32',
    OPENAI_BASE_URL: String(model.ready.url),
    OPENAI_API_KEY: 'sk-test',
    MILLRACE_MODEL_PRICES: prices,
  },
});
const url = `http://127.0.0.1:${service.ready.port}`;
const key = readFileSync(join(directory, 'api-key'), 'utf8').trim();
const browser = await chromium.launch({
  executablePath: requireProgram('chromium', 'google-chrome-stable', 'google-chrome', 'chromium-browser'),
  args: ['--no-sandbox'],
});
try {
  await takeAll(await makeRuns());
} finally {
  await browser.close();
  await service.stop();
  await model.stop();
  rmSync(directory, { recursive: true, force: true });
}

/**
 * @param {string} method
 * @param {string} path
 * @param {unknown} [body]
 * @returns {Promise<any>}
 */
async function call(method, path, body) {
  const answer = await fetch(url + path, {
    method,
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return answer.json();
}

/** Runs the example flows, some of them with failures. Resolves to the pages, by the name of their picture. */
async function makeRuns() {
  /** @type {Named[]} */
  const flows = await call('GET', '/api/v1/flows/?get_all=true&header_flows=true');
  const settings = { records: { sampleRate: 1, values: 'all' } };
  for (const { id } of flows) await call('PATCH', `/api/v1/flows/${id}`, { settings });
  const idOf = (/** @type {string} */ name) => flows.find((flow) => flow.endpoint_name === name)?.id ?? '';
  const order = idOf('order-webhook');
  const good = await call('GET', `/api/v1/flows/${order}`);
  const broken = structuredClone(good.data);
  for (const { data } of broken.nodes) if (data.type === 'ParserComponent') data.type = 'ParserComponentV9';
  await call('PATCH', `/api/v1/flows/${order}`, { data: broken });
  const send = (/** @type {number} */ quantity) =>
    call('POST', '/api/v1/webhook/order-webhook', { customer: 'Ann', quantity, product: 'pencils' });
  for (let count = 0; count < FAILURES; count += 1) await send(count);
  await call('POST', `/api/v1/flows/${order}/versions/1/activate`);
  for (let count = 0; count < ORDERS; count += 1) await send(count);
  for (const question of ['Where is my parcel?', 'Summarise the refund policy.', 'What is 17 × 23?'])
    for (const flow of ['chat', 'support-triage', 'agent-with-tools', 'chat-with-memory'])
      await call('POST', `/api/v1/run/${flow}`, { input_value: `${question} [[delay=120 interval=12]]` });
  await call('POST', '/api/v1/run/order-totals', { input_value: 'Grace Hopper' });
  await call('POST', '/api/v1/run/chat', { input_value: 'Hello [[status=400]]' });
  await call('POST', '/api/v1/run/contact-note', { input_value: 'Grace Hopper, grace@example.com' });
  await call('POST', '/api/v1/run/support-triage', { input_value: 'The invoice is wrong. [[delay=180]]' });
  await call('POST', '/api/v1/variables/', { name: 'STRIPE_SECRET', value: 'x', type: 'Credential' });
  await call('POST', '/api/v1/users', { username: 'ann' });
  await call('POST', '/api/v1/api_key/', {
    name: 'dashboards',
    scopes: ['run'],
    access: 'read_only',
    expires_at: new Date(Date.now() + 90 * 86_400_000).toISOString(),
  });
  await call('POST', '/api/v1/triggers', {
    flow_id: order,
    name: 'every weekday',
    kind: 'schedule',
    state: 'active',
    config: { cron: '0 8 * * 1-5', timezone: 'Europe/Lisbon' },
  });
  await call('POST', '/api/v1/variables/', {
    name: 'CALLBACK_SECRET',
    value: 'whsec_c2hvd24gaW4gcGljdHVyZXMgb25seQ==',
    type: 'Credential',
  });
  await call('PATCH', `/api/v1/flows/${idOf('chat')}`, {
    settings: {
      ...settings,
      callbacks: [{ url: `${new URL('/runs', String(model.ready.url))}`, secrets: ['CALLBACK_SECRET'] }],
    },
  });
  /** @type {Named & { readonly folder_id: string }} */
  const { folder_id: project } = await call('GET', `/api/v1/flows/${order}`);
  const budget = { dollars_per_month: 20, tokens_per_day: 250_000, warn_at: 0.8 };
  await call('PUT', `/api/v1/limits/projects/${project}`, { weight: 3, requests_per_second: 50, budget });
  await call('PUT', `/api/v1/limits/flows/${idOf('chat')}`, { budget: { dollars_per_day: 5 } });
  for (const flow of ['echo', 'chat', 'news-digest'])
    await call('PATCH', `/api/v1/flows/${idOf(flow)}`, { mcp_enabled: true });
  await call('POST', '/api/v1/run/chat', { input_value: 'Is it in stock?' });
  const asking = await call('POST', '/api/v1/flows/', {
    name: 'Refunds',
    endpoint_name: 'refunds',
    data: withApproval((await call('GET', `/api/v1/flows/${idOf('agent-with-tools')}`)).data),
    settings,
  });
  const { job_id: suspended } = await call('POST', '/api/v2/workflows', {
    flow_id: asking.id,
    input_value: '[[call=evaluate_expression with="expression=1249-386"]] What is left of the invoice?',
    mode: 'sync',
  });
  return pagesOf(idOf, suspended);
}

/**
 * Returns the paths of the pages, by the name of their picture.
 * @param {(name: string) => string} idOf
 * @param {string} suspended
 */
async function pagesOf(idOf, suspended) {
  const order = idOf('order-webhook');
  const newest = async (/** @type {string} */ filter) =>
    (await call('GET', `/api/v1/runs?limit=1&${filter}`)).runs[0]?.id;
  const failed = await newest(`status=failed&flow_id=${idOf('chat')}`);
  return {
    runs: '/runs',
    'runs-failed': '/runs?status=failed',
    run: `/runs/${await newest(`flow_id=${idOf('support-triage')}`)}`,
    'run-failed': `/runs/${failed}?vertex=LanguageModelComponent-chat3`,
    pending: '/pending',
    'run-suspended': `/runs/${suspended}`,
    flows: '/flows',
    flow: `/flows/${idOf('agent-with-tools')}`,
    playground: `/flows/${idOf('chat')}?tab=playground`,
    'flow-versions': `/flows/${order}?tab=versions`,
    'flow-api': `/flows/${order}?tab=api`,
    'flow-webhook': `/flows/${order}?tab=webhook`,
    'flow-triggers': `/flows/${order}?tab=triggers`,
    'flow-callbacks': `/flows/${idOf('chat')}?tab=callbacks`,
    conversations: `/conversations?of=${idOf('chat-with-memory')}&session=${idOf('chat-with-memory')}`,
    history: '/history?hours=1',
    usage: '/usage?period=24h',
    'dead-letters': '/dead-letters',
    callbacks: '/callbacks',
    schedules: '/schedules',
    mcp: '/mcp',
    workers: '/system/workers',
    health: '/system/health',
    settings: '/system/settings',
    keys: '/access/keys',
    variables: '/access/variables',
    sessions: '/access/sessions',
    users: '/access/users',
    code: '/access/code',
    audit: '/access/audit',
  };
}

/**
 * Returns the flow with a calculator whose calls a person has to approve.
 * @param {any} data
 */
function withApproval(data) {
  const changed = structuredClone(data);
  const name = 'evaluate_expression';
  const row = {
    name,
    tags: [name],
    status: true,
    approval_actions: ['approve', 'edit', 'reject', 'respond'],
  };
  for (const node of changed.nodes)
    if (node.data.type === 'CalculatorComponent')
      node.data.node.template.tools_metadata = { type: 'table', show: true, value: [row] };
  return changed;
}

/** @param {Readonly<Record<string, string>>} pages */
async function takeAll(pages) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const theme of THEMES)
    for (const [width, height] of WIDTHS) {
      const context = await browser.newContext({ colorScheme: theme, viewport: { width, height } });
      const page = await context.newPage();
      const session = await context.newCDPSession(page);
      const isWanted = (/** @type {string} */ name) =>
        values.to !== undefined || shown.has(`${name}-${theme}-${width}`);
      const take = async (/** @type {string} */ name) => {
        if (!isWanted(name)) return;
        const { data } = await session.send('Page.captureScreenshot', {
          format,
          ...(values.png ? {} : { quality: 66 }),
        });
        writeFileSync(join(folder, `${name}-${theme}-${width}.${format}`), Buffer.from(data, 'base64'));
      };
      await page.goto(url);
      await page.getByLabel('API key').waitFor();
      await take('sign-in');
      await page.getByLabel('API key').fill(key);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();
      for (const [name, path] of Object.entries(pages)) {
        if (!isWanted(name)) continue;
        await page.goto(url + path);
        await page.getByRole('heading', { level: 1 }).first().waitFor();
        await page.locator('.busy').first().waitFor({ state: 'detached' });
        await page.waitForLoadState('load');
        if (name === 'flow-versions') await page.locator('.diff').waitFor();
        if (name === 'playground') {
          await page.getByLabel('Message', { exact: true }).fill('Where is my parcel? [[tokens=40]]');
          await page.keyboard.press('Enter');
          await page.getByRole('button', { name: 'Stop' }).waitFor();
          await page.getByRole('button', { name: 'Send' }).waitFor();
        }
        // The last frame of the graph and of charts.
        await page.evaluate(
          'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))',
        );
        await take(name);
      }
      await context.close();
    }
}
