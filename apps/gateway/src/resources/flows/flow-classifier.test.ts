import { componentRegistry } from '@millrace/components';
import { createLogger } from '@millrace/service';
import { FlowClassifier } from './flow-classifier';

// A pass pauses after each batch: 500 pauses would take ten seconds.
jest.mock('node:timers/promises', () => ({ setTimeout: () => Promise.resolve() }));

test('a pass checks 10,000 flows and releases its lock; the next one continues', async () => {
  let checked = 0;
  let unlock = (): void => undefined;
  const unlocked = new Promise<void>((resolve) => (unlock = resolve));
  const classifier = new FlowClassifier({
    flows: {
      unclassified: async (limit) =>
        Array.from({ length: limit }, (_, index) => ({ id: `flow-${index}`, version: 1, document: {} })),
      classify: async () => void (checked += 1),
    },
    registry: componentRegistry,
    keyValue: { set: async () => true, delete: async () => unlock() },
    logger: createLogger({ name: 'flow-classifier-test', level: 'silent' }),
    classified: { add: () => undefined },
  });
  classifier.start();
  await unlocked;
  expect(checked).toBe(10_000);
  await classifier.close();
});
