import type { ComponentContext } from '@millrace/flow';
import { Data, DataFrame, Message } from '@millrace/python-text';
import { ingestedTexts } from './ingested-texts';
import { scalarMetadata } from '../../integrations/vector-stores/json-metadata';

const context = { run: { id: 'run-1' }, vertex: { id: 'Store-a' } } as ComponentContext;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

test('texts keep their other fields as metadata, with JSON values only', () => {
  const [one] = ingestedTexts(
    [new Data({ text: 'a\u0000b', nan: Number.NaN, inner: new Data({ x: 1 }), list: [Number.NaN] })],
    context,
  );
  expect(one).toMatchObject({ text: 'a\uFFFDb', metadata: { nan: null, inner: { x: 1 }, list: [null] } });
  expect(one?.id).toMatch(uuid);
  expect(scalarMetadata({ a: 1, b: 'x', c: null, d: [1], e: true })).toEqual({ a: 1, b: 'x', e: true });
});

test('reads rows and messages as well, and respects the text key', () => {
  const texts = ingestedTexts(
    [
      new DataFrame([{ text: 'row' }, {}]),
      new Message({ text: 'said' }),
      new Data({ body: 'own', text: 'other' }, { textKey: 'body' }),
    ],
    context,
  );
  expect(texts.map(({ text }) => text)).toEqual(['row', '', 'said', 'own']);
  expect(texts[3]?.metadata).toEqual({ text: 'other' });
});

test('a repeated attempt gets the same ids; another run, vertex or text gets different ones', () => {
  const given = [new Data({ text: 'same' }), new Data({ text: 'same' })];
  const ids = (other: object = {}) =>
    ingestedTexts(given, { ...context, ...other } as ComponentContext).map(({ id }) => id);
  expect(ids()).toEqual(ids());
  const all = [ids(), ids({ run: { id: 'run-2' } }), ids({ vertex: { id: 'Store-b' } })].flat();
  expect(new Set(all).size).toBe(6);
});
