import { Data, DataFrame, Message, PythonFloat } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';
import { StoredCheckpoint } from './stored-checkpoint';

const nothing = { results: null, decisions: new Map() };
const steps = {
  title: 'Agent Steps',
  contents: [
    { type: 'tool_use', name: 'add', tool_input: { a: 2, b: 1.5 }, output: '3', duration: 12, error: null },
    { type: 'text', text: 'Done. ✓', $message: { nothing: 1 } },
  ],
};

/** Returns what the next attempt finds of a result. */
function kept(value: PythonValue) {
  const checkpoint = StoredCheckpoint.of(nothing);
  const record = {
    outputs: new Map([
      ['text', value],
      ['same', 'plain'],
    ]),
    stopped: new Set(['other']),
    status: value,
    shown: { all: value, byOutput: new Map([['text', value]]) },
    sentName: null,
    logs: new Map([['text', [{ name: 'Log 1', message: 'm', type: 'text' as const }]]]),
    reused: false,
  };
  checkpoint.keep(
    new Map([['A-a', { record, usage: { input_tokens: 1, output_tokens: 2, total_tokens: 3 } }]]),
  );
  const next = StoredCheckpoint.of({ results: checkpoint.text(), decisions: new Map() });
  return { found: next.resultAt('A-a'), record };
}

const metadata = { of: { $message: { a: 1 } } };
const properties = { ...new Message({ text: '' }).fields.properties, targets: [{ $data: 1 }] };

test.each<[string, PythonValue]>([
  ['a message with content blocks', new Message({ text: 't', contentBlocks: [steps], id: 'i', properties })],
  ['a message with metadata', new Message({ text: 't', sessionMetadata: metadata, extra: { $table: 3 } })],
  ['data', new Data({ float: new PythonFloat(1), large: 2n ** 70n, nan: Number.NaN, $ref: 4 })],
  ['a table', new DataFrame([{ a: 1, b: new Message({ text: 'm', contentBlocks: [steps] }) }])],
  ['a list', [new Data({ a: [1, { $dict: { a: 1 } }] }), null, '']],
])('%s is kept as it is', (_name, value) => {
  const { found, record } = kept(value);
  expect(found).toMatchObject({ record, missing: [] });
});

test('a model is missing from what is kept; the other outputs of its vertex are kept', () => {
  const { found } = kept([{ kind: 'language-model', settings: {} } as unknown as PythonValue]);
  expect(found).toMatchObject({
    record: { outputs: new Map([['same', 'plain']]), status: null },
    missing: ['text'],
  });
});
