import { failureOf, flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';

const selecting = (data_index: number): unknown =>
  flow(
    [
      node('Webhook-a', 'Webhook'),
      node('Webhook-b', 'Webhook'),
      node('SelectData-s', 'SelectData', { data_index }),
    ],
    [
      edge('Webhook-a', 'output_data', 'SelectData-s', 'data_list'),
      edge('Webhook-b', 'output_data', 'SelectData-s', 'data_list'),
    ],
  );
const run = (index: number): ReturnType<typeof runFlow> =>
  runFlow(selecting(index), {
    tweaks: { 'Webhook-a': { data: '{"n":1}' }, 'Webhook-b': { data: '{"n":2}' } },
    show: 'SelectData-s',
  });

test('selects one of several items', async () => {
  expect((await run(0)).text).toEqual({ n: 1 });
  expect((await run(1)).text).toEqual({ n: 2 });
});

test.each([-1, 2])('the index %p is out of range', async (index) => {
  expect(await failureOf(run(index))).toBe(
    `Error running graph: Error building Component Select Data: \n\nSelected index ${index} is out of range.`,
  );
});
