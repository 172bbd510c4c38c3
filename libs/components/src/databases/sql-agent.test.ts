import { failureOf, flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';
import type { RunOptions } from '../testing/flow-under-test.fixture';
import {
  callTools,
  streamText,
  startModelServerUnderTest,
} from '../integrations/openai/openai-server.fixture';
import type { ModelServerUnderTest } from '../integrations/openai/openai-server.fixture';
import { uploadedWheels } from './wheels.fixture';

let server: ModelServerUnderTest;
beforeEach(async () => {
  server = await startModelServerUnderTest();
});
afterEach(() => server.close());

async function answered(question: string, url: string, options: RunOptions = {}): Promise<unknown> {
  const document = flow(
    [
      node('ChatInput-a', 'ChatInput'),
      node('OpenAIModel-m', 'OpenAIModel', {
        openai_api_base: server.url,
        api_key: 'sk',
        model_name: 'gpt-4.1',
      }),
      node('SQLAgent-g', 'SQLAgent', { database_uri: url }),
      node('TextOutput-z', 'TextOutput'),
    ],
    [
      edge('ChatInput-a', 'message', 'SQLAgent-g', 'input_value'),
      edge('OpenAIModel-m', 'model_output', 'SQLAgent-g', 'llm'),
      edge('SQLAgent-g', 'response', 'TextOutput-z', 'input_value'),
    ],
  );
  return (await runFlow(document, { input: question, ...options })).text;
}

/** Returns the tool results that the model received, in the order of its calls. */
function toolResults(): readonly string[] {
  const messages = server.requests.at(-1)?.body.messages ?? [];
  return messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
}

test('the model can list, describe and query tables', async () => {
  server.answers.push(
    callTools(['sql_db_list_tables', {}]),
    callTools(['sql_db_schema', { table_names: 'wheels' }]),
    callTools(['sql_db_query', { query: 'SELECT name FROM wheels WHERE id = 2' }]),
    streamText('The breast wheel.'),
  );
  const resources = await uploadedWheels();
  expect(await answered('Which is the second?', 'sqlite:///wheels.db', { resources })).toBe(
    'The breast wheel.',
  );
  expect(toolResults()).toEqual([
    'mills, wheels',
    'CREATE TABLE wheels (id INTEGER, name TEXT)',
    "[{'name': 'breast'}]",
  ]);
  expect(server.requests[0]?.body.messages[0]?.content).toContain('about a sqlite database');
});

test('reports query errors to the model', async () => {
  server.answers.push(
    callTools(
      ['sql_db_query', { query: 'SELECT * FROM sails' }],
      ['sql_db_schema', { table_names: 'sails' }],
    ),
    streamText('There are no sails.'),
  );
  const resources = await uploadedWheels();
  expect(await answered('Sails?', 'sqlite:///wheels.db', { resources })).toBe('There are no sails.');
  expect(toolResults()).toEqual([
    'Error: no such table: sails',
    "Error: table_names {'sails'} not found in database",
  ]);
});

test('reports an unsupported database before calling the model', async () => {
  expect(await failureOf(answered('?', 'oracle://miller:geheim-7@db/mill'))).toContain(
    'An error occurred while connecting to the database: databases of type "oracle" are not supported',
  );
  expect(server.requests).toEqual([]);
});
