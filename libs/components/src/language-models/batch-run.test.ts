import { failureOf, flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';
import type { RunUnderTest } from '../testing/flow-under-test.fixture';
import { refuse, startModelServerUnderTest } from '../integrations/openai/openai-server.fixture';
import type { ModelServerUnderTest } from '../integrations/openai/openai-server.fixture';

let server: ModelServerUnderTest;
beforeEach(async () => {
  server = await startModelServerUnderTest();
});
afterEach(() => server.close());

const batch = (values: Record<string, unknown>): unknown =>
  flow(
    [
      node('Webhook-a', 'Webhook'),
      node('TypeConverterComponent-c', 'TypeConverterComponent', { output_type: 'Table' }),
      node('BatchRunComponent-b', 'BatchRunComponent', {
        model: [{ name: 'gpt-4o-mini', provider: 'OpenAI', metadata: {} }],
        ...values,
      }),
      node('ChatOutput-z', 'ChatOutput'),
    ],
    [
      edge('Webhook-a', 'output_data', 'TypeConverterComponent-c', 'input_data'),
      edge('TypeConverterComponent-c', 'dataframe_output', 'BatchRunComponent-b', 'df'),
      edge('BatchRunComponent-b', 'batch_results', 'ChatOutput-z', 'input_value'),
    ],
  );
const rows = Array.from({ length: 40 }, (_, index) => ({ 'a name': `n${index}`, size: index }));
const ask = (
  values: Record<string, unknown>,
  given: readonly object[] = rows.slice(0, 2),
): Promise<RunUnderTest> =>
  runFlow(batch(values), {
    webhook: JSON.stringify({ rows: given }),
    variables: { OPENAI_BASE_URL: server.url, OPENAI_API_KEY: 'sk-stored' },
  });
const questions = (): readonly unknown[] => server.requests.map(({ body }) => body.messages.at(-1)?.content);

test('sends one column of every row to the model and adds the answers as a column', async () => {
  const { text } = await ask({
    column_name: 'a name',
    system_message: 'Be brief.',
    output_column_name: 'said',
  });
  expect(text).toMatch(/\| a name .*\| +size \| said +\| +batch_index \|/);
  expect(text).toMatch(/\| n1 .*\| +1 \| Hello big world \| +1 \|/);
  expect([...questions()].sort()).toEqual(['n0', 'n1']);
  expect(server.requests[0]?.body.messages[0]).toEqual({ role: 'system', content: 'Be brief.' });
});

test('sends the whole row when no column is set', async () => {
  await ask({ enable_metadata: true }, [
    { 'a name': 'say "hi"', size: 1 },
    { 'a name': '', size: 2 },
  ]);
  expect(questions()).toContain('["a name"]\nvalue = "say \\"hi\\""\n\n[size]\nvalue = "1"\n');
});

test('adds metadata to each answer on request', async () => {
  expect((await ask({ column_name: 'size', enable_metadata: true })).text).toContain(
    "{'has_system_message': False, 'input_length': 0, 'response_length': 15, 'processing_status': 'success'}",
  );
});

test('the length of the input is that of the column text_input', async () => {
  const { text } = await ask({ column_name: 'text_input', enable_metadata: true }, [{ text_input: 'ab😀' }]);
  expect(text).toContain("'input_length': 3,");
});

test('keeps the order of many rows', async () => {
  const { text } = await ask({ column_name: 'size' }, rows);
  const names = [...String(text).matchAll(/\| (n\d+) /g)].map((match) => match[1]);
  expect(names).toEqual(rows.map((row) => row['a name']));
});

test('fails with the first failing row, and reports a missing column', async () => {
  server.answers.push(refuse(400, { message: 'too long' }));
  expect(await failureOf(ask({ column_name: 'size' }))).toContain('too long');
  expect(await failureOf(ask({ column_name: 'x' }))).toContain(
    "Column 'x' not found in the DataFrame. Available columns: a name, size",
  );
});
