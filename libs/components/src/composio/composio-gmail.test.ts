import { toolNode } from '../testing/tool-node.fixture';
import { failureOf } from '../testing/flow-under-test.fixture';
import { fetchFrom, serviceForEachTest } from '../integrations/http/fake-service.fixture';
import { outputOf } from '../testing/node-output.fixture';
import { callToolOf } from '../testing/tool-caller.fixture';
import { composioKey, startComposio } from '../integrations/composio/composio-server.fixture';

const server = serviceForEachTest(startComposio);

type Values = Readonly<Record<string, unknown>>;
const hosts = () => ({ 'backend.composio.dev': server });
const runAction = (values: Values, output = 'dataFrame', type = 'ComposioGmailAPIComponent') =>
  outputOf(type, { api_key: composioKey, ...values }, hosts(), output);

test('executes the chosen action with the values of its fields', async () => {
  const values = {
    action_button: [{ name: 'Send Email' }],
    GMAIL_SEND_EMAIL_recipient_email: 'a@b.test',
    GMAIL_SEND_EMAIL_cc: 'c@d.test, e@f.test',
    is_html: 'True',
  };
  expect(await runAction(values, 'data')).toMatchObject({
    id: 'mail-1',
    sent: { recipient_email: 'a@b.test', cc: ['c@d.test', 'e@f.test'], is_html: true },
  });
});

test('returns lists as tables', async () => {
  const values = { action: 'GMAIL_FETCH_EMAILS', query: 'mill', max_results: '3' };
  expect(await runAction(values)).toEqual([
    { subject: 'mill 1' },
    { subject: 'mill 2' },
    { subject: 'mill 3' },
  ]);
  expect(await runAction({ ...values, max_results: '1' }, 'text')).toBe(
    "{'messages': [{'subject': 'mill 1'}]}",
  );
});

test('derives the application from the type', async () => {
  const values = { action_button: 'Find event', query: 'mills' };
  expect(await runAction(values, 'dataFrame', 'ComposioGoogleCalendarAPIComponent')).toEqual([
    { event: 'about mills' },
  ]);
  expect(await failureOf(runAction(values))).toContain('Invalid action: Find event');
  expect(await failureOf(runAction({}))).toContain('Select an action first.');
});

test('provides the actions enabled in its table as tools, otherwise all of the application', async () => {
  const callTool = async (table: readonly unknown[]) => {
    const node = toolNode('Gmail-a', 'ComposioGmailAPIComponent', table, { api_key: composioKey });
    return callToolOf(node, { query: 'x' }, { fetch: fetchFrom(hosts()), tool: 'GMAIL_FETCH_EMAILS' });
  };
  const table = [
    { name: 'GMAIL_FETCH_EMAILS', tags: ['GMAIL_FETCH_EMAILS'], status: true },
    { name: 'GMAIL_SEND_EMAIL', tags: ['GMAIL_SEND_EMAIL'], status: false },
  ];
  expect((await callTool(table)).tools.map(({ name }) => name)).toEqual(['GMAIL_FETCH_EMAILS']);
  expect((await callTool([])).tools.map(({ name }) => name)).toEqual([
    'GMAIL_SEND_EMAIL',
    'GMAIL_FETCH_EMAILS',
  ]);
});
