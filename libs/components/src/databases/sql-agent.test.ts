import { failureOf, flow, node, runFlow, wire } from '../flow-under-test.fixture';
import type { RunOptions } from '../flow-under-test.fixture';
import { callTools, say, startModelServerUnderTest } from '../language-models/model-server.fixture';
import type { ModelServerUnderTest } from '../language-models/model-server.fixture';
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
      node('OpenAIModel-m', 'OpenAIModel', { openai_api_base: server.url, api_key: 'sk', model_name: 'gpt-4.1' }),
      node('SQLAgent-g', 'SQLAgent', { database_uri: url }),
      node('TextOutput-z', 'TextOutput'),
    ],
    [
      wire('ChatInput-a', 'message', 'SQLAgent-g', 'input_value'),
      wire('OpenAIModel-m', 'model_output', 'SQLAgent-g', 'llm'),
      wire('SQLAgent-g', 'response', 'TextOutput-z', 'input_value'),
    ],
  );
  return (await runFlow(document, { input: question, ...options })).text;
} // prettier-ignore

/** What the tools told the model, in the order of its calls. */
function told(): readonly string[] {
  const messages = server.asked.at(-1)?.body.messages ?? [];
  return messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
}

test('lets the model look at the tables, describe and query them', async () => {
  server.answers.push(
    callTools(['sql_db_list_tables', {}]),
    callTools(['sql_db_schema', { table_names: 'wheels' }]),
    callTools(['sql_db_query', { query: 'SELECT name FROM wheels WHERE id = 2' }]),
    say('The breast wheel.'),
  );
  const resources = await uploadedWheels();
  expect(await answered('Which is the second?', 'sqlite:///wheels.db', { resources })).toBe('The breast wheel.');
  expect(told()).toEqual(['mills, wheels', 'CREATE TABLE wheels (id INTEGER, name TEXT)', "[{'name': 'breast'}]"]);
  expect(server.asked[0]?.body.messages[0]?.content).toContain('about a sqlite database');
}); // prettier-ignore

test('tells the model what was wrong with its query', async () => {
  server.answers.push(
    callTools(['sql_db_query', { query: 'SELECT * FROM sails' }], ['sql_db_schema', { table_names: 'sails' }]),
    say('There are no sails.'),
  );
  const resources = await uploadedWheels();
  expect(await answered('Sails?', 'sqlite:///wheels.db', { resources })).toBe('There are no sails.');
  expect(told()).toEqual([
    'Error: no such table: sails',
    "Error: table_names {'sails'} not found in database",
  ]);
}); // prettier-ignore

test('a database that cannot be reached is named before the model is asked', async () => {
  expect(await failureOf(answered('?', 'oracle://miller:geheim-7@db/mill'))).toContain(
    'An error occurred while connecting to the database: databases of the kind "oracle" cannot be reached from here',
  );
  expect(server.asked).toEqual([]);
});
