import { flow, node, runFlow, wire } from '../flow-under-test.fixture';

test('makes a line of each row', async () => {
  const document = flow(
    [
      node('TextInput-a', 'TextInput', { input_value: '[{"name":"Ann","age":30},{"name":"Bob","age":25}]' }),
      node('Convert-b', 'TypeConverterComponent', { auto_parse: true }),
      node('ParseDataFrame-p', 'ParseDataFrame', { template: '{name}={age}', sep: ',' }),
      node('ChatOutput-z', 'ChatOutput'),
    ],
    [
      wire('TextInput-a', 'text', 'Convert-b', 'input_data'),
      wire('Convert-b', 'dataframe_output', 'ParseDataFrame-p', 'df'),
      wire('ParseDataFrame-p', 'text', 'ChatOutput-z', 'input_value'),
    ],
  );
  expect((await runFlow(document)).text).toBe('Ann=30,Bob=25');
});
