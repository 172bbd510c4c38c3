import { Data } from '@millrace/python-text';
import { dataToText, dataToTexts } from '../index';

test('formats the template for each item; missing values are empty', () => {
  const items = [new Data({ name: 'A', city: 'B' }), new Data({ name: 'C' })];
  expect(dataToText('{name} -> {city}', items)).toBe('A -> B\nC -> ');
  expect(dataToText('{name}', items, ' | ')).toBe('A | C');
  expect(dataToText('{name}', items, null)).toBe('A\nC');
  expect(dataToTexts('<{name}>', items)).toEqual(['<A>', '<C>']);
});

test('merges an inner data object, and provides the whole item as {data}', () => {
  expect(dataToText('{name} {x} {data}', [new Data({ x: 1, data: { name: 'in' } })])).toBe(
    "in 1 {'x': 1, 'data': {'name': 'in'}}",
  );
  expect(dataToText('{text}', [new Data({ text: 'T', error: 'broken' })])).toBe('broken');
});

test('reports an invalid template', () => {
  expect(() => dataToText('{name', [new Data()])).toThrow(
    "Error formatting template: expected '}' before end of string",
  );
});
