import { componentRegistry } from '@millrace/components';
import { runExecutor } from '@millrace/executor';
import { defineComponent, text } from '@millrace/flow';

/** An executor with an additional component that harms its process as its input selects. */
const poison = defineComponent({
  type: 'Poison',
  displayName: 'Poison',
  description: 'Ends its process.',
  inputs: { input_value: text({ displayName: 'How' }) },
  outputs: { message: { types: ['Message'] } },
  deterministic: false,
  run: async ({ input_value: how }) => {
    if (how === 'exit') process.kill(process.pid, 'SIGKILL');
    while (how === 'spin');
    const kept: unknown[] = [];
    while (how === 'heap') {
      kept.push(new Array(100_000).fill(how));
      await new Promise((resolve) => setImmediate(resolve));
    }
    return { message: how };
  },
});

runExecutor({
  program: __filename,
  registry: async () => ({
    ...componentRegistry,
    find: (type) => (type === poison.type ? poison : componentRegistry.find(type)),
  }),
});
