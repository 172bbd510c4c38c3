import { compile, defineComponent, parseFlowDocument, text } from '../index';

const store = defineComponent({
  type: 'Store',
  aliases: ['OldStore'],
  displayName: 'Store',
  description: 'For the tests.',
  inputs: { label: text() },
  outputs: { found: { types: ['Data'] }, summary: { types: ['Message'] } },
  deterministic: true,
  run: () => ({}),
});

const registry = {
  all: [store],
  find: (type: string) => (['Store', 'OldStore'].includes(type) ? store : undefined),
};

function upgraded(type: string, outputs: readonly object[], sourceHandle: string) {
  const node = (id: string) => ({
    id,
    type: 'genericNode',
    data: { type, node: { template: {}, outputs } },
  });
  const edges = [{ source: 'S-1', target: 'S-2', sourceHandle, targetHandle: 'Text;Data|label|S-2' }];
  const plan = compile(parseFlowDocument({ nodes: [node('S-1'), node('S-2')], edges }), {
    flowId: 'f',
    version: 1,
    registry,
  });
  const [vertex] = plan.vertices;
  return { outputs: vertex?.outgoing.map(({ sourceOutput }) => sourceOutput), upgrades: vertex?.upgrades };
}

test('an edge in a file from before 1.0 starts at the output with the type of the edge', () => {
  expect(upgraded('OldStore', [], 'OldStore|S-1|Text|object')).toEqual({
    outputs: ['summary'],
    upgrades: [
      'type "OldStore" is implemented by "Store"',
      'it was saved without outputs',
      'an edge that named another output, or none, starts at "summary"',
    ],
  });
  expect(upgraded('Store', [], 'Store|S-1|Record')).toMatchObject({ outputs: ['found'] });
});

test('if no output has the source types of an edge, the target types decide, then the order of outputs', () => {
  expect(upgraded('Store', [], 'Store|S-1|Chain')).toMatchObject({ outputs: ['found'] });
});

const handle = '{œdataTypeœ:œStoreœ,œidœ:œS-1œ,œnameœ:œsummaryœ,œoutput_typesœ:[œMessageœ]}';

test('a current file needs no upgrade', () => {
  expect(upgraded('Store', [{ name: 'found' }, { name: 'summary' }], handle)).toEqual({
    outputs: ['summary'],
    upgrades: [],
  });
});

test('an output that was saved under the name of another one is determined by its types', () => {
  const saved = (types: readonly string[], other = 'other') =>
    upgraded('Store', [{ name: 'summary', types }, { name: other }], handle).outputs;
  expect(saved(['Data'])).toEqual(['found']);
  for (const types of [['JSON', 'Text'], ['Tool'], []]) expect(saved(types)).toEqual(['summary']);
  expect(saved(['Data'], 'found')).toEqual(['summary']);
});
