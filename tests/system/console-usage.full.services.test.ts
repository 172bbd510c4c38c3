import { readFileSync } from 'node:fs';
import { until } from '@millrace/service/testing';
import { forAllTests } from '@millrace/testing';
import { accessibilityViolations, openConsole } from './console-browser';
import type { ConsolePage } from './console-browser';
import { HOSTILE, readExample, startConsoleSystem } from './console-standalone';
import type { ConsoleSystem } from './console-standalone';

let admin: ConsolePage;
let call: ConsoleSystem['call'];

const system = forAllTests(startConsoleSystem);
beforeAll(async () => {
  ({ admin, call } = system);
}, 180_000);

// The goal is 170 kB: the keys of the palette and of the lists took what was left.
const FIRST_LOAD_BYTES = 135_000;

interface Row {
  readonly username: string;
  readonly flow_name: string | null;
  readonly key_name: string | null;
  readonly runs: number;
}

const usage = async (query: string): Promise<readonly Row[]> =>
  (await call<{ rows: readonly Row[] }>('GET', `/api/v1/usage?all_users=true&${query}`)).rows;

const newFlow = (name: string, endpoint: string, as?: string) =>
  system.newFlow('chat', { name, endpoint_name: endpoint }, as);

/** Runs of two users with three keys, one of which is deleted, like one of the flows. */
async function makeUsage() {
  const { id: shop } = await newFlow('Shop assistant', 'shop');
  const { id: oldFlow } = await newFlow('Old', 'old');
  const ann = await call<{ api_key: string }>('POST', '/api/v1/users', { username: `ann ${HOSTILE[0]}` });
  await newFlow("Ann's chat", 'ann-chat', ann.api_key);
  const newKey = (name: string) =>
    call<{ id: string; api_key: string }>('POST', '/api/v1/api_key/', { name, scopes: ['run'] });
  const [builds, old] = [await newKey('builds'), await newKey('old')];
  const run = (flow: string, as: string, input = 'hello') =>
    call('POST', `/api/v1/run/${flow}`, { input_value: input }, as).catch(() => undefined);
  for (const input of ['one', 'two', 'three', '[[status=400]]']) await run('shop', builds.api_key, input);
  await run('old', old.api_key);
  await run('ann-chat', ann.api_key, 'a longer text '.repeat(200));
  const counted = async () => (await usage('')).reduce((sum, { runs }) => sum + runs, 0);
  await until(async () => (await counted()) === 6);
  await call('DELETE', `/api/v1/flows/${oldFlow}`);
  await call('DELETE', `/api/v1/api_key/${old.id}`);
  return { shop, annKey: ann.api_key };
}

test('the page Usage names who used how much, sorts by the chosen figure, and opens the runs', async () => {
  const { shop, annKey } = await makeUsage();
  const { page, visit, offences } = admin;
  const rows = page.locator('table.data > tbody > tr');
  const names = async () =>
    (await rows.locator('td:first-child').allInnerTexts()).map((name) => name.split('\n')[0]);
  await visit('/usage');
  await page.getByRole('button', { name: /^Runs 6/ }).waitFor();
  await page.getByRole('button', { name: /^Failures 1 16.7 %/ }).waitFor();
  await rows.first().getByText('Shop assistant').waitFor();
  expect((await names()).slice(0, 1)).toEqual(['Shop assistant']);
  expect((await names()).slice(1).sort()).toEqual([
    "Ann's chat",
    expect.stringMatching(/^Deleted flow [0-9a-f]{8}$/),
  ]);
  // A run with a long text used the most tokens.
  await page.getByRole('button', { name: /^Tokens/ }).click();
  await until(async () => (await names())[0] === "Ann's chat");
  await rows.first().getByText(`ann ${HOSTILE[0]}`).waitFor();
  const by = async (title: string) => {
    await page.getByRole('button', { name: title, exact: true }).click();
    await page.getByRole('heading', { name: `${title}s`, exact: true }).waitFor();
    return names();
  };
  expect([...(await by('Key'))].sort()).toEqual([
    expect.stringMatching(/^Deleted key [0-9a-f]{8}$/),
    'builds',
    'first',
  ]);
  await rows.filter({ hasText: 'builds' }).getByRole('button', { name: 'Flows' }).click();
  await page.locator('td.detail').getByRole('link', { name: '4', exact: true }).waitFor();
  expect(await by('Model')).toEqual(['echo']);
  expect(await by('Pool')).toEqual(['default']);
  expect(await by('Project')).toContain('No project: deleted flows');
  expect([...(await by('User'))].sort()).toEqual(['admin', `ann ${HOSTILE[0]}`]);
  expect(await by('Hour')).toHaveLength(1);
  expect(await by('Day')).toHaveLength(1);

  // A row and a bar open the runs that they count.
  await visit('/usage');
  // The chart moves the rows when it appears.
  await page.getByRole('slider').first().waitFor();
  await rows.filter({ hasText: 'Shop assistant' }).getByRole('link', { name: '4' }).click();
  await page.getByRole('heading', { name: 'Runs', level: 1 }).waitFor();
  expect(page.url()).toContain(`flow=${shop}`);
  await until(async () => (await page.locator('.runs-body .runs-row').count()) === 4);
  await visit('/usage?period=24h');
  const chart = page.getByRole('slider', { name: /Runs by flow, for each hour: 6 in all/ });
  await chart.focus();
  await page.keyboard.press('End');
  if (/Shop assistant 0/.test((await chart.getAttribute('aria-valuetext')) ?? ''))
    await page.keyboard.press('ArrowLeft');
  expect(await chart.getAttribute('aria-valuetext')).toMatch(/: Shop assistant 4, /);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Runs', level: 1 }).waitFor();
  // The runs of the deleted flow are deleted, too.
  await until(async () => (await page.locator('.runs-body .runs-row').count()) === 5);
  expect(offences).toEqual([]);

  // A user sees their own usage, and no users to choose from.
  const ann = await openConsole(system.browser, system.url, annKey);
  await ann.visit('/usage');
  await ann.page.getByRole('button', { name: /^Runs 1/ }).waitFor();
  expect(await ann.page.getByRole('button', { name: 'User', exact: true }).count()).toBe(0);
  await ann.close();
}, 180_000);

test('the table is saved as CSV, and an address selects the days', async () => {
  const { page, visit } = admin;
  await visit('/usage?by=user');
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'CSV' }).click();
  const saved = await download;
  expect(saved.suggestedFilename()).toBe('usage-by-user.csv');
  const [head, ...lines] = readFileSync(await saved.path(), 'utf8')
    .trimEnd()
    .split('\r\n');
  expect(head).toContain('username');
  expect(lines).toHaveLength(2);
  await page.getByLabel('Time').selectOption('Chosen days');
  await page.getByLabel('First day').fill('2026-02-01');
  await page.getByLabel('Last day').fill('2026-02-03');
  await page.getByText('No run ended in this time').waitFor();
  await page.getByLabel('Last day').fill('2026-01-03');
  await page.getByText('Choose up to 400 days').waitFor();
  await page.getByLabel('Time').selectOption('Last 24 hours');
  await page.getByRole('heading', { name: 'Users', exact: true }).waitFor();
  expect(page.url()).not.toContain('from=');
}, 120_000);

test('a form sets the weight and the budget of a project, and the table has what is spent of it', async () => {
  const { page, visit, offences } = admin;
  const { id: project } = await call<{ id: string }>('POST', '/api/v1/projects/', {
    name: `Weighed ${HOSTILE[0]}`,
  });
  const path = `/api/v1/limits/projects/${project}`;
  const { id } = await system.newFlow('chat', { name: 'Weighed chat', folder_id: project });
  await visit('/usage');
  const dialog = page.getByRole('dialog');
  const field = (name: string) => dialog.getByLabel(name, { exact: true });
  await page.getByLabel('Limit a project, flow or user').selectOption(`project ${project}`);
  await dialog.getByRole('heading', { name: `Limits of the project “Weighed ${HOSTILE[0]}”` }).waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
  await field('Weight').fill('101');
  await field('Tokens per month').fill('20000000');
  await field('Tokens per day').fill('1000000');
  await dialog.getByRole('button', { name: 'Save' }).click();
  expect(await dialog.locator('input:invalid').inputValue()).toBe('101');
  await field('Weight').fill('3');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(await call('GET', path)).toMatchObject({
    weight: 3,
    budget: { tokens_per_day: 1_000_000, tokens_per_month: 20_000_000 },
  });

  await call('POST', `/api/v1/run/${id}`, { input_value: 'hello' });
  const spent = async () =>
    (await call<{ spend: { day: { tokens: number } } }>('GET', path)).spend.day.tokens;
  await until(async () => (await spent()) > 0);
  await visit('/usage');
  const rows = page.getByRole('row').filter({ hasText: 'Project · weight 3' });
  await rows.first().waitFor();
  const cells = async (period: string) =>
    (await rows.filter({ hasText: period }).getByRole('cell').allInnerTexts()).slice(1, 6);
  const tokens = await spent();
  expect(await cells('Today')).toEqual([
    'Today',
    `${tokens} tokens`,
    '0 tokens',
    `${(1_000_000 - tokens).toLocaleString('en')} tokens`,
    '1,000,000 tokens',
  ]);
  expect((await cells('This month')).at(-1)).toBe('20,000,000 tokens');
  expect(await accessibilityViolations(page)).toEqual([]);

  // A change leaves what the form does not change, and an empty form ends all limits.
  await rows.first().getByRole('button', { name: 'Edit Weighed' }).click();
  await until(async () => (await field('Weight').inputValue()) === '3');
  await field('Weight').fill('');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(await call('GET', path)).toMatchObject({ weight: null, budget: { tokens_per_day: 1_000_000 } });
  await page.getByRole('button', { name: 'Edit Weighed' }).first().click();
  await until(async () => (await field('Tokens per day').inputValue()) === '1000000');
  for (const name of ['Tokens per day', 'Tokens per month']) await field(name).fill('');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Nothing is limited.').waitFor();
  expect(offences).toEqual([]);
}, 120_000);

test('the page is whole at 360 px, and axe finds nothing, light or dark', async () => {
  const paths = ['/usage', '/usage?by=key&figure=cost', '/usage?by=hour&period=24h&figure=waiting'];
  const faults = await system.faultsOf(paths, async (page) => {
    await page.getByRole('heading', { name: /^(Flow|Key|Hour)s$/ }).waitFor();
    await page.locator('.chart canvas').waitFor();
    await until(async () => !(await page.locator('.busy').count()));
  });
  expect(faults).toEqual([]);
}, 180_000);

test('the first page loads at most 135 kB of scripts and styles by gzip', async () => {
  const context = await system.browser.newContext();
  const page = await context.newPage();
  const paths: string[] = [];
  page.on('request', (request) => {
    if (['script', 'stylesheet'].includes(request.resourceType())) paths.push(request.url());
  });
  await context.addCookies(await admin.page.context().cookies());
  await page.goto(`${system.url}/runs`);
  await page.getByRole('heading', { name: 'Runs', level: 1 }).waitFor();
  const sizes = await Promise.all(
    paths.map(async (path) => {
      const answer = await fetch(path, { headers: { 'accept-encoding': 'gzip' } });
      expect(answer.headers.get('content-encoding')).toBe('gzip');
      return Number(answer.headers.get('content-length'));
    }),
  );
  expect(sizes.length).toBeGreaterThan(1);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(FIRST_LOAD_BYTES);
  await context.close();
}, 60_000);

test('names stand for users, keys, projects and flows; a deleted one says so', async () => {
  const { page, visit, offences } = admin;
  const eve = await call<{ id: string; api_key: string }>('POST', '/api/v1/users', { username: 'eve' });
  const { id: key, api_key: secret } = await call<{ id: string; api_key: string }>(
    'POST',
    '/api/v1/api_key/',
    { name: 'deploys', scopes: ['run', 'manage', 'admin'] },
  );
  const { id: project } = await call<{ id: string }>('POST', '/api/v1/projects/', { name: 'Storefront' });
  const { id: flow } = await call<{ id: string }>(
    'POST',
    '/api/v1/flows/',
    { ...readExample('echo'), name: 'Named flow', endpoint_name: 'named', folder_id: project },
    secret,
  );
  const foreign = await newFlow("Eve's flow", 'eve-flow', eve.api_key);
  await call('POST', `/api/v1/run/${foreign.id}`, { input_value: 'x' }, eve.api_key);
  const config = { cron: '0 8 * * 1-5', timezone: 'Europe/Lisbon' };
  const schedule = { flow_id: flow, name: 'weekdays', kind: 'schedule', state: 'active', config };
  await call('POST', '/api/v1/triggers', schedule);

  // The audit log has its actor, also after the deletion of its key.
  await visit('/access/audit?action=flow');
  const entry = page.getByRole('row').filter({ hasText: 'Named flow' }).first();
  await entry.getByText('admin', { exact: true }).waitFor();
  await entry.getByText('key deploys', { exact: true }).waitFor();
  await call('DELETE', `/api/v1/api_key/${key}`);
  await visit('/access/audit?action=flow');
  await entry.getByText(/^deleted key [0-9a-f]{8}$/).waitFor();
  await page.getByRole('row').filter({ hasText: "Eve's flow" }).getByText('eve', { exact: true }).waitFor();
  await visit('/access/audit?action=trigger');
  await page.getByRole('row').filter({ hasText: 'weekdays' }).getByText('flow: Named flow').waitFor();

  await visit('/schedules');
  await page.getByRole('link', { name: 'Named flow' }).waitFor();
  await visit('/mcp');
  await page.getByRole('heading', { name: 'Storefront', exact: true }).waitFor();
  await visit(`/runs?flow=${foreign.id}&all=1`);
  await page.locator('.runs-user').getByText('eve', { exact: true }).waitFor();
  await until(async () =>
    (await page.getByLabel('Flow', { exact: true }).innerText()).includes("Eve's flow"),
  );
  await openConsole(system.browser, system.url, eve.api_key).then(({ close }) => close());
  await visit('/access/sessions');
  await page.getByLabel('All users').check();
  await page.getByRole('row').getByText('eve', { exact: true }).first().waitFor();

  await visit('/access/users');
  await page.getByRole('link', { name: 'Usage of eve' }).click();
  await page.getByRole('button', { name: /^Runs 1/ }).waitFor();

  await visit('/access/users');
  const ofEve = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'Usage of eve' }) });
  const change = async (button: string, action: string) => {
    await ofEve.getByRole('button', { name: button }).click();
    await page.getByRole('dialog').getByRole('button', { name: action }).click();
  };
  await change('Make admin', 'Make an admin of');
  await ofEve.getByRole('cell', { name: 'admin', exact: true }).waitFor();
  await change('Remove admin', 'Remove admin rights of');
  await change('Disable', 'Disable the user');
  await ofEve.getByText('inactive').waitFor();
  const refused = await fetch(`${system.url}/api/v1/users/whoami`, { headers: { 'x-api-key': eve.api_key } });
  expect(refused.status).toBe(403);
  await change('Enable', 'Enable the user');
  await ofEve.getByText('active', { exact: true }).waitFor();
  await change('Delete', 'Delete the user');
  await ofEve.waitFor({ state: 'detached' });
  await visit('/access/audit?action=flow');
  await page
    .getByRole('row')
    .filter({ hasText: "Eve's flow" })
    .getByText(/^Deleted user [0-9a-f]{8}$/)
    .first()
    .waitFor();
  expect(offences).toEqual([]);
}, 180_000);
