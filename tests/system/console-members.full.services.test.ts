import { forAllTests } from '@millrace/testing';
import type { Page } from 'playwright-core';
import { accessibilityViolations, openConsole } from './console-browser';
import type { ConsolePage } from './console-browser';
import { HOSTILE, startConsoleSystem } from './console-standalone';
import type { ConsoleSystem } from './console-standalone';

const SECRET = 'a payload of the team';
/** Names that a page must show as they are, also beside those of others. */
const [TEAM = '', GUEST = '', PROJECT = '', FLOW = ''] = [HOSTILE[0], HOSTILE[4], HOSTILE[2], HOSTILE[1]];

interface User {
  readonly id: string;
  readonly key: string;
}

const system = forAllTests(() => startConsoleSystem());
let call: ConsoleSystem['call'];
let team: User;
let guest: User;
let owner: ConsolePage;
let member: ConsolePage;
let project: string;
let flow: string;
let refusing: string;
let run: string;
/** A run of the member. */
let own: string;

async function newUser(username: string): Promise<User> {
  const { id, api_key: key } = await call<{ id: string; api_key: string }>('POST', '/api/v1/users', {
    username,
  });
  return { id, key };
}

beforeAll(async () => {
  ({ call } = system);
  [team, guest] = [await newUser(TEAM), await newUser(GUEST)];
  ({ id: project } = await call<{ id: string }>('POST', '/api/v1/projects/', { name: PROJECT }, team.key));
  ({ id: flow } = await system.newFlow('echo', { name: FLOW, folder_id: project }, team.key));
  ({ id: refusing } = await system.newFlow('chat', { name: 'refusing', folder_id: project }, team.key));
  run = await start();
  await start(refusing, '[[status=400]]');
  own = await start((await system.newFlow('echo', { name: 'own' }, guest.key)).id, 'own', guest.key);
  owner = await openConsole(system.browser, system.url, team.key);
  member = await openConsole(system.browser, system.url, guest.key);
}, 180_000);

async function start(id = flow, input = SECRET, key = team.key): Promise<string> {
  const started = await call<{ job_id: string }>(
    'POST',
    '/api/v2/workflows',
    { flow_id: id, mode: 'background', input_value: input },
    key,
  );
  return started.job_id;
}

const share = (body: object) => call('PUT', `/api/v1/members/${project}/${guest.id}`, body, team.key);
const inProject = (path: string) => `/projects/${project}${path}`;
const buttons = (page: Page) => page.locator('main').getByRole('button').allTextContents();

/** Requests of the page that the gateway refused. */
function refusedOf(page: Page): readonly string[] {
  const refused: string[] = [];
  page.on('response', (response) => {
    if (response.status() === 403) refused.push(response.url());
  });
  return refused;
}

test('an owner adds a member by name, changes the role, and removes the member', async () => {
  const { page, visit, offences } = owner;
  await visit(`/access/members?project=${project}`);
  await page.getByText('Other users see nothing of this project.').waitFor();
  const dialog = page.getByRole('dialog');
  const add = async (name: string) => {
    await dialog.getByLabel('User name or id').fill(name);
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  };
  await page.getByRole('button', { name: 'Add a member' }).press('Enter');
  await add('unknown user');
  await dialog.getByText('User not found').waitFor();
  await add(TEAM);
  await dialog.getByText('The project is theirs.').waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
  await dialog.getByLabel('Payloads').selectOption('false');
  await add(GUEST);
  const row = page.getByRole('row').filter({ hasText: 'viewer, without payloads' });
  await row.getByText(GUEST).waitFor();
  await page.getByRole('button', { name: 'Add a member' }).click();
  await add(GUEST);
  await dialog.getByText('is a member already').waitFor();
  await page.keyboard.press('Escape');
  await row.getByRole('button', { name: 'Edit' }).click();
  await dialog.getByLabel('Role').selectOption('editor');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('only a viewer can be kept').waitFor();
  await dialog.getByLabel('Payloads').selectOption('');
  await dialog.getByRole('button', { name: 'Save' }).click();
  const changed = page.getByRole('row').filter({ hasText: 'editor' });
  await changed.getByRole('button', { name: 'Remove' }).click();
  await dialog.getByRole('button', { name: 'Remove the member' }).click();
  await page.getByText('Other users see nothing of this project.').waitFor();
  expect(offences).toEqual([]);
}, 180_000);

test('a member chooses the project by the keyboard, and sees whose it is and the role', async () => {
  const { page, visit, offences } = member;
  await visit('/flows');
  expect(await page.getByRole('button', { name: 'Projects of:' }).count()).toBe(0);
  await share({ role: 'viewer' });
  await visit('/flows');
  await page.getByRole('button', { name: 'Projects of: You' }).press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForURL(`**${inProject('/runs')}`);
  const bar = page.getByRole('note', { name: 'Project of another user' });
  expect(await bar.textContent()).toContain(`${PROJECT} of ${TEAM}`);
  expect(await bar.textContent()).toContain('viewer, without payloads');
  // The links of the pages keep the project.
  await page.getByRole('link', { name: 'Flows', exact: true }).click();
  await page.getByRole('link', { name: FLOW }).click();
  await page.waitForURL(`**${inProject(`/flows/${flow}`)}`);
  await bar.getByRole('link', { name: 'Your own projects' }).click();
  await page.waitForURL(`${system.url}/runs`);
  expect(await bar.count()).toBe(0);
  expect(offences).toEqual([]);
}, 180_000);

test('a viewer sees no payloads and no buttons that start something, and asks for neither', async () => {
  const { page, visit, offences } = member;
  const refused = refusedOf(page);
  await visit(inProject(`/flows/${flow}`));
  await page.getByText(/1 run$/).waitFor();
  expect(await page.getByRole('tab').allTextContents()).toEqual(['Runs']);
  await visit(inProject(`/runs/${run}`));
  await page.getByText('succeeded').first().waitFor();
  expect(await page.getByRole('tab').allTextContents()).toEqual(['Attempts', 'Log', 'JSON']);
  await page.getByRole('tab', { name: 'JSON' }).click();
  await page.getByText('"codes"').or(page.getByText(run)).first().waitFor();
  const shown = (await page.locator('body').textContent()) ?? '';
  expect(shown).not.toContain(SECRET);
  expect((await buttons(page)).filter((text) => /run|replay|cancel|answer/i.test(text))).toEqual([]);
  await visit(inProject(`/runs?flow=${refusing}`));
  await page.getByRole('row').filter({ hasText: 'component_failed' }).getByRole('link').click();
  await page.getByRole('heading', { name: 'failed' }).waitFor();
  expect(await page.getByRole('link', { name: 'with the same code' }).count()).toBe(0);
  await visit(inProject(`/runs?flow=${project}`));
  await page.getByText('The project has no such flow').waitFor();
  await visit(inProject(`/runs?flow=${flow}&session=any`));
  await page.getByText('Your role shows no sessions').waitFor();
  await page.getByRole('link', { name: 'All runs of the flow' }).click();
  await page.getByText(/1 run$/).waitFor();
  await visit(inProject(`/runs/compare?one=${run}&other=${run}`));
  await page.getByText('Your role shows no inputs').waitFor();
  expect(await page.getByRole('heading', { name: 'Input' }).count()).toBe(0);
  await visit(inProject('/access/keys'));
  await page.getByText('Members have no such page').waitFor();
  expect(refused).toEqual([]);
  expect(offences).toEqual([]);
}, 180_000);

test('a viewer with payloads reads them, and an operator runs flows and replays runs', async () => {
  const { page, visit, offences } = member;
  const refused = refusedOf(page);
  await share({ role: 'viewer', payloads: true });
  await visit(inProject(`/runs/${run}?tab=output`));
  await page.getByRole('tabpanel').getByText(SECRET).first().waitFor();
  expect(await page.getByRole('button', { name: 'Replay' }).count()).toBe(0);
  await share({ role: 'operator' });
  await visit(inProject(`/flows/${flow}?tab=playground`));
  await page.getByLabel('Message', { exact: true }).fill('said by the member');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByRole('region', { name: 'Messages' }).getByText('said by the member').nth(1).waitFor();
  await visit(inProject(`/runs/${run}`));
  await page.getByRole('button', { name: 'Replay' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Replay' }).click();
  await page.waitForURL((url) => url.pathname.startsWith(inProject('/runs/')) && !url.pathname.endsWith(run));
  await page.getByText('succeeded').first().waitFor();
  expect(await page.getByRole('tab', { name: 'Versions' }).count()).toBe(0);
  expect(refused).toEqual([]);
  // Another role is known with the first refusal, long before the next poll.
  await visit(inProject(`/runs/${run}`));
  await page.getByRole('button', { name: 'Replay' }).click();
  await share({ role: 'viewer', payloads: true });
  const asked = page.waitForRequest(/memberships/, { timeout: 20_000 });
  await page.getByRole('dialog').getByRole('button', { name: 'Replay' }).click();
  await asked;
  await page.getByText('viewer, with payloads').waitFor();
  expect(refused).toHaveLength(1);
  // A run of the member is in no project of another user.
  await visit(inProject(`/runs/${own}`));
  await page.getByRole('link', { name: 'Look for it among your own runs' }).click();
  await page.waitForURL(`${system.url}/runs/${own}`);
  await page.getByText('succeeded').first().waitFor();
  expect(offences).toEqual([]);
}, 180_000);

test('an editor reads flows and their versions, and an owner changes members', async () => {
  const { page, visit, offences } = member;
  const refused = refusedOf(page);
  await share({ role: 'editor' });
  await visit(inProject(`/flows/${flow}?tab=graph`));
  await page.locator('.react-flow__node').first().waitFor();
  await page.getByRole('tab', { name: 'Versions' }).click();
  await page.getByRole('row').filter({ hasText: 'active' }).waitFor();
  await visit(inProject(`/runs/${run}`));
  await page.locator('.react-flow__node').first().waitFor();
  await visit(inProject('/access/members'));
  await page.getByText('Your memberships').waitFor();
  expect(await page.getByRole('button', { name: 'Add a member' }).count()).toBe(0);
  await share({ role: 'owner' });
  await visit(inProject('/access/members'));
  await page.getByRole('row').filter({ hasText: GUEST }).getByRole('button', { name: 'Edit' }).waitFor();
  expect(refused).toEqual([]);
  expect(offences).toEqual([]);
}, 180_000);

test('the pages of a project are whole in light and dark, at 1440 and 360 pixels', async () => {
  await share({ role: 'owner' });
  const paths = [
    '/runs',
    '/flows',
    `/flows/${flow}`,
    `/flows/${flow}?tab=playground`,
    `/runs/${run}`,
    '/access/members',
  ];
  const ready = (page: Page) => page.getByRole('note', { name: 'Project of another user' }).waitFor();
  expect(await system.faultsOf(paths.map(inProject), ready, guest.key)).toEqual([]);
  expect(
    await system.faultsOf(
      [`/access/members?project=${project}`],
      (page) => page.getByText(GUEST).first().waitFor(),
      team.key,
    ),
  ).toEqual([]);
}, 300_000);

test('a member leaves the project, whose address then says so', async () => {
  const { page, visit, offences } = member;
  await visit(inProject('/access/members'));
  await page.getByRole('button', { name: 'Leave' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Leave the project' }).click();
  await page.waitForURL(`${system.url}/runs`);
  const left = await call<{ members: unknown[] }>('GET', `/api/v1/members/${project}`, undefined, team.key);
  expect(left.members).toEqual([]);
  await visit(inProject(`/runs/${run}`));
  await page.getByText('You are not a member of this project').waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
  expect(offences).toEqual([]);
}, 120_000);
