import { failureOf, flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';
import type { RunOptions } from '../testing/flow-under-test.fixture';

const loopOver = (
  payload: string,
  end: 'text' | 'data',
  stream = false,
  watch?: RunOptions['watch'],
): ReturnType<typeof runFlow> => {
  const body =
    end === 'text'
      ? node('ParserComponent-b', 'ParserComponent', { pattern: 'n={n}' })
      : node('UpdateData-b', 'UpdateData', { number_of_fields: 1, field_1_key: { state: 'seen' } });
  return runFlow(
    flow(
      [
        node('Webhook-a', 'Webhook'),
        node('DataToDataFrame-t', 'DataToDataFrame'),
        node('LoopComponent-l', 'LoopComponent'),
        body,
        node('ChatOutput-z', 'ChatOutput'),
      ],
      [
        edge('Webhook-a', 'output_data', 'DataToDataFrame-t', 'data_list'),
        edge('DataToDataFrame-t', 'dataframe', 'LoopComponent-l', 'data'),
        ...(end === 'text'
          ? [
              edge('LoopComponent-l', 'item', 'ParserComponent-b', 'input_data'),
              edge('ParserComponent-b', 'parsed_text', 'LoopComponent-l', 'item'),
            ]
          : [
              edge('LoopComponent-l', 'item', 'UpdateData-b', 'old_data'),
              edge('UpdateData-b', 'data', 'LoopComponent-l', 'item'),
            ]),
        edge('LoopComponent-l', 'done', 'ChatOutput-z', 'input_value'),
      ],
    ),
    { webhook: payload, show: 'LoopComponent-l', stream, ...(watch && { watch }) },
  );
};

test('collects the result of each row: data with its keys, other values as text', async () => {
  const text = await loopOver('{"n":1}', 'text');
  expect(text.result?.outputs).toEqual({
    item: { message: { count: 0, items: [] }, type: 'data' },
    done: { message: [{ text: 'n=1' }], type: 'array' },
  });
  const { result } = await loopOver('{"n":1}', 'data');
  expect(result?.outputs['done']?.message).toEqual([{ n: 1, state: 'seen' }]);
});

test('a streamed run has the log lines of the loop, and the begin and the end of each vertex of its rounds', async () => {
  const { events } = await loopOver('{"n":1}', 'text', true);
  const { data: ended } = events.find(({ event }) => event === 'end_vertex')!;
  expect(ended).toMatchObject({
    build_data: {
      id: 'ParserComponent-b',
      valid: true,
      data: {
        outputs: { parsed_text: { message: 'n=1', type: 'text' } },
        artifacts: { parsed_text: { raw: 'n=1', type: 'text' } },
        duration: null,
        component_display_name: 'Parser',
        component_id: 'ParserComponent-b',
        used_frozen_result: false,
        token_usage: null,
      },
    },
  });
  expect(
    events.map(({ event, data }) => {
      const { id, message, component_id: component, output } = data as Record<string, unknown>;
      if (event === 'log') return [event, component, output, String(message).split(' ')[0]];
      return event === 'build_start' ? [event, id] : [event];
    }),
  ).toEqual([
    ['log', 'LoopComponent-l', 'done', 'Starting'],
    ['build_start', 'ParserComponent-b'],
    ['end_vertex'],
    ['log', 'LoopComponent-l', 'done', 'Completed'],
    ['add_message'],
  ]);
  expect((await loopOver('{"n":1}', 'text')).events).toEqual([]);
});

test('those who follow all vertices get the ends of the rounds in the same form', async () => {
  const watched: string[] = [];
  const watch = {
    begins: () => undefined,
    ended: ({ id }: { readonly id: string }) => Promise.resolve(void watched.push(id)),
  };
  const { events } = await loopOver('{"n":1}', 'text', true, watch);
  const ends = events.filter(({ event }) => event === 'end_vertex');
  expect(ends.map(({ data }) => data)).toMatchObject([
    { build_data: { id: 'ParserComponent-b', valid: true } },
  ]);
  expect(watched).toEqual(['Webhook-a', 'DataToDataFrame-t', 'LoopComponent-l', 'ChatOutput-z']);
});

test('the log lines are those of the output that is connected', async () => {
  const document = flow(
    [
      node('JSONtoData-j', 'JSONtoData', { json_string: '{}' }),
      node('LoopComponent-l', 'LoopComponent'),
      node('ChatOutput-o', 'ChatOutput'),
    ],
    [
      edge('JSONtoData-j', 'data', 'LoopComponent-l', 'data'),
      edge('LoopComponent-l', 'item', 'ChatOutput-o', 'input_value'),
    ],
  );
  const { events } = await runFlow(document, { stream: true });
  expect(events.flatMap(({ event, data }) => (event === 'log' ? [data.output] : []))).toContain('item');
});

test('logs its start and its end', async () => {
  const { result } = await loopOver('{"n":1}', 'text');
  expect(result?.logs).toEqual({
    item: [],
    done: [
      { name: 'Start', message: 'Starting loop over 1 item(s)', type: 'text' },
      {
        name: 'Complete',
        message: expect.stringMatching(/^Completed 1 iteration\(s\) in \d+\.\d{3}s$/),
        type: 'text',
      },
    ],
  });
});

const overWired = (source: unknown, output: string): ReturnType<typeof runFlow> =>
  runFlow(
    flow(
      [
        source,
        node('LoopComponent-l', 'LoopComponent'),
        node('ParserComponent-b', 'ParserComponent', { pattern: '<{text}>' }),
        node('ChatOutput-z', 'ChatOutput'),
      ],
      [
        edge('Source-a', output, 'LoopComponent-l', 'data'),
        edge('LoopComponent-l', 'item', 'ParserComponent-b', 'input_data'),
        edge('ParserComponent-b', 'parsed_text', 'LoopComponent-l', 'item'),
        edge('LoopComponent-l', 'done', 'ChatOutput-z', 'input_value'),
      ],
    ),
    { show: 'LoopComponent-l' },
  );

test('a message is one item with a text', async () => {
  const { result } = await overWired(node('Source-a', 'TextInput', { input_value: 'word' }), 'text');
  expect(result?.outputs['done']?.message).toEqual([{ text: '<word>' }]);
});

test('shows its items where only the output of items is connected', async () => {
  const document = flow(
    [
      node('JSONtoData-j', 'JSONtoData', { json_string: '[{"text":"a"},{"text":"b"}]' }),
      node('LoopComponent-l', 'LoopComponent'),
      node('ParserComponent-b', 'ParserComponent', { pattern: '<{text}>' }),
    ],
    [
      edge('JSONtoData-j', 'data', 'LoopComponent-l', 'data'),
      edge('LoopComponent-l', 'item', 'ParserComponent-b', 'input_data'),
      edge('ParserComponent-b', 'parsed_text', 'LoopComponent-l', 'item'),
    ],
  );
  const { result } = await runFlow(document, { show: 'LoopComponent-l' });
  expect(result?.outputs['item']?.message).toEqual({ count: 2, items: [{ text: 'a' }, { text: 'b' }] });
});

test('reports an unsupported input', async () => {
  expect(await failureOf(runFlow(flow([node('LoopComponent-l', 'LoopComponent')])))).toBe(
    'Error running graph: Error building Component Loop: \n\n' +
      "Data input must be a DataFrame, Data object, or list of Data objects, got <class 'NoneType'>",
  );
});
