import { compile, defineComponent, parseFlowDocument, table } from '@millrace/flow';
import type { Component, RunRequest } from '@millrace/flow';
import { Message } from '@millrace/python-text';
import { testRegistry } from './testing/test-components';
import { flowFile } from './testing/test-flow';
import { chatRequest, runPlan, texts } from './testing/test-run';

const rows: Component = defineComponent({
  type: 'Rows',
  displayName: 'Rows',
  description: 'Shows its rows.',
  inputs: { headers: table({ displayName: 'Headers' }) },
  outputs: { shown: { types: ['Message'] } },
  deterministic: true,
  run: ({ headers }) => ({ shown: new Message({ text: JSON.stringify(headers) }) }),
});

const registry = {
  all: [...testRegistry.all, rows],
  find: (type: string) => (type === 'Rows' ? rows : testRegistry.find(type)),
};
const columns = [{ name: 'key' }, { name: 'value', load_from_db: true }];
const saved = [
  { key: 'Authorization', value: 'TOKEN' },
  { key: 'TOKEN', value: '' },
  { key: 'x', value: 'UNKNOWN' },
];

async function shown(table_schema: unknown, changes: Partial<RunRequest> = {}): Promise<unknown> {
  const file = flowFile(
    [
      { type: 'Rows', fields: { headers: { type: 'table', value: saved, table_schema } } },
      { type: 'ChatOutput' },
    ],
    ['Rows-a.shown > ChatOutput-a.input_value'],
  );
  const plan = compile(parseFlowDocument(file), { flowId: 'f', version: 1, registry });
  const variables: Readonly<Record<string, string>> = { TOKEN: 'secret' };
  const { response } = await runPlan(plan, chatRequest('x', changes), {
    variable: async (name) => variables[name],
  });
  return JSON.parse(String(texts(response)['ChatOutput-a']));
}

const resolved = [
  { key: 'Authorization', value: 'secret' },
  { key: 'TOKEN', value: '' },
  { key: 'x', value: null },
];

test('cells of a column with load_from_db are names of variables', async () => {
  expect(await shown(columns)).toEqual(resolved);
  expect(await shown({ columns })).toEqual(resolved);
});

test('cells of other columns are literal values', async () => {
  expect(await shown([{ name: 'key' }, { name: 'value' }])).toEqual(saved);
  expect(await shown(undefined)).toEqual(saved);
});

test('variables of the request take precedence, and rows of a tweak are resolved as well', async () => {
  expect(await shown(columns, { globalVariables: { TOKEN: 'mine', UNKNOWN: 'known' } })).toEqual([
    { key: 'Authorization', value: 'mine' },
    { key: 'TOKEN', value: '' },
    { key: 'x', value: 'known' },
  ]);
  const tweaks = { 'Rows-a': { headers: [{ key: 'y', value: 'TOKEN' }] } };
  expect(await shown(columns, { tweaks })).toEqual([{ key: 'y', value: 'secret' }]);
});
