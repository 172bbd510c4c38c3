import { Data, DataFrame, Message } from '@millrace/python-text';
import { toData, toDataFrame, toMessage } from '../index';

test('a Data becomes a message with the text under its key, or with its whole object', () => {
  expect(toMessage(new Data({ text: 'abc', n: 1 })).text).toBe('abc');
  expect(toMessage(new Data({ body: 'b' }, { textKey: 'body' })).text).toBe('b');
  expect(toMessage(new Data({ a: 1, toString: null })).text).toBe("{'a': 1, 'toString': None}");
});

test('a table becomes a message in Markdown with one line for each row', () => {
  expect(toMessage(new DataFrame([{ a: 'x|y\n\nz' }, {}])).text).toBe(
    '| a          |\n|:-----------|\n| x\\|y<br/>z |',
  );
});

test('converts values to a Data', () => {
  expect(toData('x').data).toEqual({ text: 'x' });
  expect(toData(new Message({ text: 'm', sender: 'User' })).data).toEqual({ text: 'm' });
  expect(toData(new DataFrame([{ a: 1 }, { a: 2 }])).data).toEqual({ results: [{ a: 1 }, { a: 2 }] });
  expect(toData({ a: 1 }).data).toEqual({ a: 1 });
});

test('converts values to a table', () => {
  expect(toDataFrame('x').rows).toEqual([{ text: 'x' }]);
  expect(toDataFrame(new Message({ text: 'm' })).rows).toEqual([{ text: 'm' }]);
  expect(toDataFrame(new Data({ a: 1, b: [{}] })).rows).toEqual([{ a: 1, b: [{}] }]);
  expect(toDataFrame(new Data({ records: [{ a: 1 }, { b: 2 }] }))).toMatchObject({
    columns: ['a', 'b'],
    rows: [{ a: 1 }, { b: 2 }],
  });
  expect(toDataFrame([new Data({ a: 1 }), { b: 2 }]).columns).toEqual(['a', 'b']);
  expect(() => toDataFrame([1])).toThrow('List items must be either all Data objects or all dictionaries');
});

test('the error names the type that cannot be converted', () => {
  expect(() => toMessage(5)).toThrow('Expected Data or DataFrame or Message or str, got int');
});
