import { componentRegistry } from '@millrace/components';
import { recordingLogger } from '@millrace/service/testing';
import { FlowClassifier } from './flow-classifier';

// A pass pauses after each batch: 500 pauses would take ten seconds.
jest.mock('node:timers/promises', () => ({ setTimeout: () => Promise.resolve() }));

test('a pass checks 10,000 flows and releases its lock; the next one continues', async () => {
  const logger = recordingLogger();
  let checked = 0;
  let counted = 0;
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
    logger,
    classified: { add: (count: number) => void (counted += count) },
  });
  classifier.start();
  await unlocked;
  expect(checked).toBe(10_000);
  await classifier.close();
  expect(counted).toBe(10_000);
  expect(logger.fieldsOf('flows of an earlier release checked for Python')).toEqual([{ flows: 10_000 }]);
});

test('a pass that fails is logged and counted', async () => {
  const logger = recordingLogger();
  const error = new Error('away');
  const counted: unknown[] = [];
  let onCounted = (): void => undefined;
  const isCounted = new Promise<void>((resolve) => (onCounted = resolve));
  const classifier = new FlowClassifier({
    flows: { unclassified: () => Promise.reject(error), classify: async () => undefined },
    registry: componentRegistry,
    keyValue: { set: async () => true, delete: async () => undefined },
    logger,
    classified: {
      add(...given) {
        counted.push(given);
        onCounted();
      },
    },
  });
  classifier.start();
  await isCounted;
  await classifier.close();
  expect(counted).toEqual([[1, { outcome: 'failed' }]]);
  const failed = 'flows of an earlier release could not be checked for Python; retried in a minute';
  expect(logger.fieldsOf(failed)).toEqual([{ error }]);
});
