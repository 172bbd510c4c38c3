import { flow, node, runFlow } from '../testing/flow-under-test.fixture';

const generated = async (unique_id: string): Promise<unknown> => {
  const { result } = await runFlow(flow([node('IDGenerator-a', 'IDGenerator', { unique_id })]), {
    show: 'IDGenerator-a',
  });
  expect(result?.artifacts['id']).toMatchObject({
    repr: `Generated ID: ${String(result?.outputs['id']?.message)}`,
  });
  return result?.outputs['id']?.message;
};

test('returns the saved identifier', async () => {
  expect(await generated('fixed-id')).toBe('fixed-id');
});

test('without one generates another in every run', async () => {
  const [one, other] = [await generated(''), await generated('')];
  expect(one).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  expect(other).not.toBe(one);
});
