import { flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';

const rows = '[{"name":"Ann","age":30,"text":"a"},{"name":"Bob","age":25,"text":"b"}]';

test.each([
  [{ template: '{name}={age}', sep: ',' }, 'Ann=30,Bob=25'],
  [{ template: '{name}', sep: ' ' }, 'Ann Bob'],
  [{}, 'a\nb'],
  [{ template: '', sep: ',' }, 'a,b'],
  [{ template: '{name}', sep: '' }, 'Ann\nBob'],
  [{ template: '', sep: '' }, 'a\nb'],
])('formats each row as a line with %j', async (values, text) => {
  const document = flow(
    [
      node('TextInput-a', 'TextInput', { input_value: rows }),
      node('Convert-b', 'TypeConverterComponent', { auto_parse: true }),
      node('ParseDataFrame-p', 'ParseDataFrame', values),
      node('ChatOutput-z', 'ChatOutput'),
    ],
    [
      edge('TextInput-a', 'text', 'Convert-b', 'input_data'),
      edge('Convert-b', 'dataframe_output', 'ParseDataFrame-p', 'df'),
      edge('ParseDataFrame-p', 'text', 'ChatOutput-z', 'input_value'),
    ],
  );
  expect((await runFlow(document)).text).toBe(text);
});
