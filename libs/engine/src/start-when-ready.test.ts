import { compile, defineComponent, message, parseFlowDocument } from '@millrace/flow';
import type { Component, ComponentOutputs } from '@millrace/flow';
import { Message } from '@millrace/python-text';
import { testRegistry } from './testing/test-components';
import { flowFile } from './testing/test-flow';
import { chatRequest, runPlan, texts } from './testing/test-run';

const through = (type: string, run: () => ComponentOutputs | Promise<ComponentOutputs>): Component =>
  defineComponent({
    type,
    displayName: type,
    description: 'Takes part in an order.',
    inputs: { given: message({ displayName: 'Given' }) },
    outputs: { given: { types: ['Message'] } },
    deterministic: true,
    run,
  });

test('a vertex starts when its inputs are available, without waiting for other vertices of the layer before', async () => {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const outputs = { given: new Message({ text: 'passed' }) };
  // The gate is one layer earlier than the opener for which it waits.
  const gate = through('Gate', () => opened.then(() => outputs));
  const step = through('Step', () => Promise.resolve(outputs));
  const opener = through('Opener', () => {
    open();
    return outputs;
  });
  const own = new Map([gate, step, opener].map((component) => [component.type, component]));
  const registry = {
    all: [...testRegistry.all, ...own.values()],
    find: (type: string) => own.get(type) ?? testRegistry.find(type),
  };
  const file = flowFile(
    [{ type: 'ChatInput' }, { type: 'Gate' }, { type: 'Step' }, { type: 'Opener' }, { type: 'ChatOutput' }],
    [
      'ChatInput-a.message > Gate-a.given',
      'ChatInput-a.message > Step-a.given',
      'Step-a.given > Opener-a.given',
      'Gate-a.given > ChatOutput-a.input_value',
    ],
  );
  const plan = compile(parseFlowDocument(file), { flowId: 'f', version: 1, registry });
  const { response, reports } = await runPlan(plan, chatRequest('x'));
  expect(texts(response)).toEqual({ 'ChatOutput-a': 'passed' });
  const order = reports.map(({ componentType }) => componentType);
  expect(order.indexOf('Opener')).toBeLessThan(order.indexOf('Gate'));
});
