import { failureOf, node } from '../testing/flow-under-test.fixture';
import { fetchFrom, serviceForEachTest } from '../integrations/http/fake-service.fixture';
import { callToolOf } from '../testing/tool-caller.fixture';
import { composioKey, startComposio } from '../integrations/composio/composio-server.fixture';

const server = serviceForEachTest(startComposio);

type Values = Readonly<Record<string, unknown>>;
const call = (values: Values, given: Values, tool?: string) =>
  callToolOf(node('Composio-a', 'ComposioAPI', { api_key: composioKey, ...values }), given, {
    output: 'tools',
    fetch: fetchFrom({ 'backend.composio.dev': server }),
    ...(tool === undefined ? {} : { tool }),
  });

test('provides the chosen actions as tools, from either field that names them', async () => {
  const names = ['GMAIL_FETCH_EMAILS', 'GMAIL_SEND_EMAIL'];
  for (const values of [{ action_names: names }, { actions: names.map((name) => ({ name })) }]) {
    const { tools, result } = await call(values, { query: 'mill', max_results: 1 });
    expect(tools.map(({ name }) => name)).toEqual(names);
    expect(tools[1]).toMatchObject({
      description: 'Sends an email.',
      parameters: { required: ['recipient_email'] },
    });
    expect(result).toBe('{"messages": [{"subject": "mill 1"}]}');
  }
  expect(server.asked.at(-1)?.json).toEqual({
    user_id: 'default',
    arguments: { query: 'mill', max_results: 1 },
  });
});

test('without actions it provides no tools and makes no call', async () => {
  expect((await call({}, {})).tools).toEqual([]);
  expect(server.asked).toEqual([]);
});

test('reports errors of Composio without the key', async () => {
  const action_names = ['GMAIL_SEND_EMAIL'];
  expect(await failureOf(call({ action_names }, {}))).toContain(
    "Composio could not execute GMAIL_SEND_EMAIL: data must have required property 'recipient_email'",
  );
  const wrongKeyError = await failureOf(call({ action_names, api_key: 'ak_wrong' }, {}));
  expect(wrongKeyError).toContain('Composio answered with status 401 Unauthorized: Invalid API key: ***');
  const unknownUserCall = call({ action_names, entity_id: 'unknown' }, { recipient_email: 'a@b.test' });
  expect(await failureOf(unknownUserCall)).toContain('No connected account found for user unknown');
});
