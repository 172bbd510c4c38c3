import { flowData, forAllTests, node } from '@millrace/testing';
import type { Browser } from 'playwright-core';
import { accessibilityViolations, openConsole } from './console-browser';
import type { ConsolePage } from './console-browser';
import { HOSTILE, startConsoleSystem } from './console-standalone';
import type { ConsoleSystem } from './console-standalone';

let browser: Browser;
let url: string;
let admin: ConsolePage;
let call: ConsoleSystem['call'];
let newFlow: ConsoleSystem['newFlow'];

const system = forAllTests(startConsoleSystem);
beforeAll(async () => {
  ({ browser, url, admin, call, newFlow } = system);
}, 180_000);

const say = async (text: string) => {
  await admin.page.getByLabel('Message', { exact: true }).fill(text);
  await admin.page.keyboard.press('Enter');
};
const answered = () => admin.page.getByRole('button', { name: 'Send' }).waitFor();
const bubbles = () => admin.page.locator('.messages li');

test('turns of a session stay on the page and in the list of sessions, also after it was left', async () => {
  const { page, visit, offences } = admin;
  const { id } = await newFlow('chat-with-memory', { name: 'Talking' });
  await visit(`/flows/${id}?tab=playground`);
  await say('first question');
  await page.getByRole('button', { name: 'Stop' }).waitFor();
  await answered();
  await say('second question');
  await bubbles().nth(3).waitFor();
  await answered();
  expect(await bubbles().count()).toBe(4);
  const session = new URL(page.url()).searchParams.get('session') ?? '';
  await page.getByRole('button', { name: 'New session' }).click();
  await page.getByText('Say something').waitFor();
  await page.getByRole('navigation', { name: 'Sessions' }).getByText(session).click();
  await bubbles().nth(3).waitFor();
  await page.reload();
  await bubbles().nth(3).waitFor();
  expect(await bubbles().first().innerText()).toContain('first question');
  expect(offences).toEqual([]);
}, 120_000);

test('a running answer is stopped, and a failure is shown in its bubble', async () => {
  const { page, visit } = admin;
  const { id } = await newFlow('chat', { name: 'Stopping' });
  await visit(`/flows/${id}?tab=playground`);
  await say('[[delay=600000]]');
  await page.getByRole('button', { name: 'Stop' }).click();
  await bubbles().getByText('cancelled').first().waitFor();
  await say('[[status=400]]');
  await page.getByText('“Language Model” failed').waitFor();
  await answered();
}, 120_000);

test('the bubble of an agent has its calls of tools, which stay open when the stored message replaces the streamed one', async () => {
  const { page, visit } = admin;
  const { id } = await newFlow('agent-with-tools', { name: 'Calling' });
  await visit(`/flows/${id}?tab=playground`);
  // Stored messages are read when the test has opened the call in the streamed one.
  const opened = Promise.withResolvers<null>();
  await page.route('**/api/v1/conversations/messages*', async (route) => {
    await opened.promise;
    await route.continue();
  });
  // The pause leaves time to draw the call before the run ends.
  await say('[[call=evaluate_expression with="expression=17*23" delay=2000]]');
  await page.locator('.tool-call summary').click();
  opened.resolve(null);
  // A stored message shows its time.
  await bubbles().nth(1).getByRole('time').waitFor();
  await page.unroute('**/api/v1/conversations/messages*');
  await page.getByRole('region', { name: 'Arguments of evaluate_expression' }).getByText('17*23').waitFor();
  await page.locator('.tool-call[open]').getByText('391').first().waitFor();
}, 120_000);

test('a question is answered in the chat, also after the page was left', async () => {
  const { page, visit } = admin;
  const { id } = await call<{ id: string }>('POST', '/api/v1/flows/', {
    name: 'Asking',
    data: flowData(
      [
        node('ChatInput-a', { input_value: '' }, 'message'),
        node('HumanInput-h', { prompt: '' }, 'branch_approve', 'branch_reject'),
        node('ChatOutput-z', { input_value: '' }, 'message'),
      ],
      ['ChatInput-a.message > HumanInput-h.prompt', 'HumanInput-h.branch_approve > ChatOutput-z.input_value'],
    ),
  });
  await visit(`/flows/${id}?tab=playground`);
  await say('Ship it?');
  await page.getByText('The run asks').waitFor();
  await page.reload();
  await page.getByRole('button', { name: 'Approve', exact: true }).click();
  await bubbles().nth(1).getByText('Answered: Approve').waitFor();
  await bubbles().nth(2).getByText('Ship it?').waitFor();
  await page.getByText('The run asks').waitFor({ state: 'detached' });
}, 120_000);

test('conversations are listed by flow, read from their end page by page, and lead to their runs', async () => {
  const { page, visit } = admin;
  const { id } = await newFlow('echo', { name: 'Long talk' });
  for (let turn = 1; turn <= 20; turn += 1)
    await call('POST', `/api/v1/run/${id}`, { input_value: `turn ${turn}.`, session_id: 'long' });
  await call('POST', `/api/v1/run/${id}`, { input_value: 'hello', session_id: 'short' });
  await visit(`/conversations?flow=${id}`);
  const sessions = page.getByRole('navigation', { name: 'Sessions' });
  await sessions.locator('.session-name').nth(1).waitFor();
  expect(await sessions.locator('.session-name').allInnerTexts()).toEqual(['short', 'long']);
  await sessions.getByText('long').click();
  await bubbles().getByText('turn 20.').first().waitFor();
  expect(await bubbles().getByText('turn 1.', { exact: true }).count()).toBe(0);
  await page.getByRole('button', { name: 'Older messages' }).click();
  await bubbles().getByText('turn 1.', { exact: true }).first().waitFor();
  expect(await bubbles().count()).toBe(40);
  await page.getByLabel('Id of a session').fill('short');
  await page.getByRole('button', { name: 'Find' }).click();
  await sessions.getByText('long').waitFor({ state: 'detached' });
  await sessions.getByText('short').click();
  await bubbles().last().getByRole('link', { name: 'run' }).click();
  await page.getByRole('heading', { name: /Long talk/, level: 1 }).waitFor();
}, 120_000);

test('the page of conversations opens the newest one, which is continued there', async () => {
  const { page, visit, offences } = admin;
  const { id } = await newFlow('chat-with-memory', { name: 'Continued' });
  await call('POST', `/api/v1/run/${id}`, { input_value: 'first', session_id: 'continued' });
  await visit('/runs');
  await page.getByRole('link', { name: 'Conversations' }).click();
  await bubbles().nth(1).waitFor();
  for (const [turn, last] of [
    ['second', 3],
    ['third', 5],
  ] as const) {
    await say(turn);
    await bubbles().nth(last).waitFor();
    await answered();
  }
  expect(new URL(page.url()).searchParams.get('session')).toBe('continued');
  expect(await accessibilityViolations(page)).toEqual([]);
  expect(offences).toEqual([]);
}, 120_000);

test('a user reads no conversation of another one by its address', async () => {
  const { id } = await newFlow('echo', { name: 'Private' });
  await call('POST', `/api/v1/run/${id}`, { input_value: 'secret', session_id: 'private' });
  const bob = await call<{ api_key: string }>('POST', '/api/v1/users', { username: 'bob' });
  const other = await openConsole(browser, url, bob.api_key);
  await other.visit(`/conversations?flow=${id}&of=${id}&session=private`);
  await other.page.getByText('No conversations').waitFor();
  await other.page.getByText('The runs of this session stored no messages.').waitFor();
  expect(await other.page.getByLabel('Message', { exact: true }).count()).toBe(0);
  await other.close();
}, 60_000);

test('hostile texts in sessions and messages are text, and the pages fit 360 px without a violation', async () => {
  const name = HOSTILE.join(' ').replaceAll('/', '');
  const { id } = await newFlow('echo', { name: 'Hostile' });
  await call('POST', `/api/v1/run/${id}`, { input_value: HOSTILE.join(' '), session_id: name });
  const paths = [
    `/flows/${id}?tab=playground&session=${encodeURIComponent(name)}`,
    `/conversations?of=${id}&session=${encodeURIComponent(name)}`,
  ];
  expect(await system.faultsOf(paths, (page) => page.locator('.messages li').nth(1).waitFor())).toEqual([]);
}, 180_000);
