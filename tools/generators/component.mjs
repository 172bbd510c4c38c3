// npm run generate -- component <family>/<Type>: writes a component and its test, then updates the registry and the pages.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { componentFolder, fileNameOf } from '../workspace/component-files.mjs';

export const then = ['registry', 'pages'];

/** @param {readonly string[]} given */
export function generate([target = '']) {
  const [, family, type] = /^([a-z][a-z-]*)\/([A-Z][A-Za-z0-9]*)$/.exec(target) ?? [];
  if (type === undefined) {
    throw new Error('Name the component: npm run generate -- component processing/CountWords');
  }
  const folder = componentFolder(family);
  const name = fileNameOf(type);
  if (existsSync(join(folder, `${name}.ts`))) throw new Error(`${join(folder, name)}.ts already exists.`);
  return [
    { path: join(folder, `${name}.ts`), text: source(type) },
    { path: join(folder, `${name}.test.ts`), text: test(type) },
  ];
}

/** @param {string} type */
function displayName(type) {
  return type.replace(/([a-z0-9])([A-Z])/g, '$1 $2');
}

/** @param {string} type */
function source(type) {
  return `import { defineComponent, text } from '@millrace/flow';
import { Message } from '@millrace/python-text';

export default defineComponent({
  type: '${type}',
  displayName: '${displayName(type)}',
  description: 'Describes in one sentence what the component does.',
  inputs: { input_value: text({ displayName: 'Input', multiline: true }) },
  outputs: { output: { types: ['Message'], displayName: 'Output' } },
  deterministic: true,
  run: ({ input_value }) => ({ output: new Message({ text: input_value }) }),
});
`;
}

/** @param {string} type */
function test(type) {
  return `import { edge, flow, node, runFlow } from '../testing/flow-under-test.fixture';

test('${displayName(type)} passes its input on', async () => {
  const answer = await runFlow(
    flow(
      [node('${type}-a', '${type}', { input_value: 'hello' }), node('ChatOutput-z', 'ChatOutput')],
      [edge('${type}-a', 'output', 'ChatOutput-z', 'input_value')],
    ),
  );
  expect(answer.text).toBe('hello');
});
`;
}
