import { compile, defineComponent, parseFlowDocument } from '@millrace/flow';
import { Data } from '@millrace/python-text';
import { testRegistry } from './testing/test-components';
import { flowFile } from './testing/test-flow';
import { chatRequest, runPlan } from './testing/test-run';

test('items that share a large value are an output of a bounded size', async () => {
  const sharing = defineComponent({
    type: 'Sharing',
    displayName: 'Sharing',
    description: 'Returns one text in each of many items.',
    inputs: {},
    outputs: { items: { types: ['Data'] } },
    deterministic: true,
    run: () => {
      const text = 'x'.repeat(1_048_576);
      return { items: Array.from({ length: 300 }, () => new Data({ text })) };
    },
  });
  const document = flowFile(
    [{ type: 'Sharing', node: { outputs: [{ name: 'items', types: ['Data'] }] } }, { type: 'ChatOutput' }],
    ['Sharing-a.items > ChatOutput-a.input_value'],
  );
  const plan = compile(parseFlowDocument(document), {
    flowId: '11111111-1111-4111-8111-111111111111',
    version: 1,
    registry: {
      all: [...testRegistry.all, sharing],
      find: (type) => (type === 'Sharing' ? sharing : testRegistry.find(type)),
    },
  });
  await expect(runPlan(plan, chatRequest('hello'))).rejects.toThrow(
    'The output is larger than 268435456 bytes.',
  );
});
