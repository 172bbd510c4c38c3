import { failureOf, flow, node, runFlow } from '../flow-under-test.fixture';

const told = (parser_type: string): Promise<{ readonly text: unknown }> =>
  runFlow(flow([node('OutputParser-o', 'OutputParser', { parser_type })]), { show: 'OutputParser-o' });

test('tells how to write comma separated values', async () => {
  expect((await told('CSV')).text).toMatch(
    /^Your response should be a list of comma separated values, eg: `foo, bar/,
  );
});

test('knows no other parser', async () => {
  expect(await failureOf(told('XML'))).toContain('Unsupported or missing parser');
});
