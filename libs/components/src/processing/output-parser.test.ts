import { failureOf, flow, node, runFlow } from '../testing/flow-under-test.fixture';

const result = (parser_type: string) =>
  runFlow(flow([node('OutputParser-o', 'OutputParser', { parser_type })]), { show: 'OutputParser-o' });

test('returns instructions for comma separated values, without a status', async () => {
  const { text, result: shown } = await result('CSV');
  expect(text).toMatch(/^Your response should be a list of comma separated values, eg: `foo, bar/);
  const { repr } = shown?.artifacts['format_instructions'] as { readonly repr: string };
  expect(JSON.parse(repr)).toMatchObject({ text, sender: null });
});

test('rejects any other parser', async () => {
  expect(await failureOf(result('XML'))).toContain('Unsupported or missing parser');
});
