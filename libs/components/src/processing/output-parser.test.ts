import { failureOf, flow, node, runFlow } from '../testing/flow-under-test.fixture';

const result = (parser_type: string): Promise<{ readonly text: unknown }> =>
  runFlow(flow([node('OutputParser-o', 'OutputParser', { parser_type })]), { show: 'OutputParser-o' });

test('returns instructions for comma separated values', async () => {
  expect((await result('CSV')).text).toMatch(
    /^Your response should be a list of comma separated values, eg: `foo, bar/,
  );
});

test('rejects any other parser', async () => {
  expect(await failureOf(result('XML'))).toContain('Unsupported or missing parser');
});
