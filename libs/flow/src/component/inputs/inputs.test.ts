import { Data, DataFrame, Message, PythonFloat } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';
import {
  boolean,
  code,
  ComponentError,
  data,
  dataFrame,
  dictionary,
  dropdown,
  file,
  float,
  handle,
  integer,
  listOf,
  message,
  model,
  nestedDictionary,
  prompt,
  secret,
  tab,
  table,
  text,
} from '../../index';

const refusing = (act: () => unknown): string => {
  try {
    act();
  } catch (error) {
    if (error instanceof ComponentError) return error.message;
    throw error;
  }
  throw new Error('was not refused');
};

describe('a text input', () => {
  test('accepts the text of a message and the text key of data', () => {
    const input = text();
    expect(input.convert('plain', 'x')).toBe('plain');
    expect(input.convert(new Message({ text: 'from a message' }), 'x')).toBe('from a message');
    expect(input.convert(new Data({ body: 'b' }, { textKey: 'body' }), 'x')).toBe('b');
    expect(input.convert({ text: 'as saved', sender: 'User' }, 'x')).toBe('as saved');
  });

  test('lists the keys of data whose text key is missing', () => {
    expect(refusing(() => text().convert(new Data({ a: 1, b: 2 }), 'pattern'))).toBe(
      "The input to 'pattern' must contain the key 'text'." +
        'You can set `text_key` to one of the following keys: a, b or set the value using another Component.',
    );
  });

  test.each<[PythonValue, string]>([
    [5, "Invalid value type <class 'int'>"],
    [true, "Invalid value type <class 'bool'>"],
    [[], "Invalid value type <class 'list'>"],
    [new DataFrame([]), "Invalid value type <class 'lfx.schema.dataframe.Table'>"],
  ])('rejects %p', (value, expected) => {
    expect(refusing(() => text().convert(value, 'x'))).toBe(expected);
  });

  test('falls back to its default', () => {
    expect(text({ default: 'User' }).convert(null, 'x')).toBe('User');
    expect(text({ default: 'User' }).default).toBe('User');
  });

  test('has the kind of its options', () => {
    expect([
      text(),
      text({ multiline: true }),
      text({ plain: true }),
      secret(),
      prompt(),
      code(),
    ]).toMatchObject([
      { kind: 'MessageText', inputTypes: ['Message'] },
      { kind: 'Multiline', inputTypes: ['Message'] },
      { kind: 'Str', inputTypes: [] },
      { kind: 'Secret', password: true },
      { kind: 'Prompt' },
      { kind: 'Code' },
    ]);
  });
});

test('a list input converts each element and accepts a single value as a list', () => {
  const input = listOf(text());
  expect(input.convert(['a', new Message({ text: 'b' })], 'x')).toEqual(['a', 'b']);
  expect(input.convert('a', 'x')).toEqual(['a']);
  expect(input.convert('', 'x')).toEqual([]);
  expect(refusing(() => input.convert(['a', 1], 'x'))).toBe("Invalid value type <class 'int'>");
});

test('a message input converts texts and saved objects to messages', () => {
  expect(message().convert('hi', 'x')?.text).toBe('hi');
  expect(message().convert('', 'x')).toBeNull();
  expect(message().convert({ text: 't', sender_name: 'Ann', mood: 'fine' }, 'x')?.fields).toMatchObject({
    text: 't',
    senderName: 'Ann',
    extra: { mood: 'fine' },
  });
  expect(refusing(() => message().convert(1.5, 'x'))).toBe("Invalid value type <class 'float'>");
});

test('a data input converts a message to data with all its fields', () => {
  const given = new Data({ a: 1 });
  expect(data().convert(given, 'x')).toBe(given);
  expect(data().convert(new Message({ text: 'm', sender: 'User' }), 'x').data).toMatchObject({
    text: 'm',
    sender: 'User',
    sender_name: null,
  });
  expect(refusing(() => data({ refusal: () => 'no data' }).convert('text', 'x'))).toBe('no data');
});

test('a list of data or of objects becomes a table with one row for each', () => {
  expect(dataFrame().convert([new Data({ a: 1 }), { b: 2 }], 'x').columns).toEqual(['a', 'b']);
  expect(refusing(() => dataFrame().convert(['a'], 'x'))).toBe(
    'List items must be either all Data objects or all dictionaries',
  );
});

test('integers are truncated, floats are kept, and the error for a text names the input', () => {
  expect(integer({ default: 5 }).convert(2.9, 'n')).toBe(2);
  expect(integer({ default: 5 }).convert('', 'n')).toBe(0);
  expect(integer().convert(' 3.7 ', 'n')).toBe(3);
  expect(integer().convert(null, 'n')).toBeNull();
  expect(float({ default: 0.1 }).convert(new PythonFloat(1), 't')).toBe(1);
  expect(refusing(() => integer().convert('five', 'n'))).toBe(
    "Could not convert 'five' to integer for input n.",
  );
  expect(refusing(() => float().convert('warm', 't'))).toBe("Could not convert 'warm' to float for input t.");
});

test('every non-empty text is true', () => {
  const input = boolean();
  expect(['false', '', true, 0, null, new PythonFloat(0)].map((value) => input.convert(value, 'x'))).toEqual([
    true,
    false,
    true,
    false,
    false,
    false,
  ]);
  expect(boolean({ default: true }).convert(null, 'x')).toBe(true);
});

test('a tab accepts only its options and their former names', () => {
  const input = tab({ options: ['Message', 'JSON'], default: 'Message', formerNames: { Data: 'JSON' } });
  expect(input.convert('Data', 'x')).toBe('JSON');
  expect(refusing(() => input.convert('XML', 'x'))).toBe('Invalid value: XML. Must be one of: Message, JSON');
  expect(dropdown({ options: ['a'] }).convert('z', 'x')).toBe('z');
});

test('a table input accepts every saved form of rows', () => {
  const rows = [{ key: 'a', value: 'b' }];
  const input = table();
  expect(input.convert(rows, 'x')).toEqual(rows);
  expect(input.convert(new DataFrame(rows), 'x')).toEqual(rows);
  expect(input.convert('[{"key":"a","value":"b"}]', 'x')).toEqual(rows);
  expect(input.convert(new Data({ key: 'a', value: 'b' }), 'x')).toEqual(rows);
  expect(refusing(() => input.convert([1], 'rows'))).toBe(
    "Invalid value type <class 'list'> for table field rows",
  );
});

test('a dictionary accepts an object, rows of key and value, or JSON', () => {
  expect(dictionary().convert([{ key: 'a', value: 1 }, { b: 2 }], 'x')).toEqual({ a: 1, b: 2 });
  expect(dictionary().convert(new Data({ c: 3 }), 'x')).toEqual({ c: 3 });
  expect(nestedDictionary().convert('{"a":{"b":[1]}}', 'x')).toMatchObject({ a: { b: [1] } });
  expect(refusing(() => dictionary().convert(7, 'x'))).toBe("Invalid value type <class 'int'>");
});

test('a nested dictionary refuses a list', () => {
  expect(refusing(() => nestedDictionary().convert([new Data({ a: 1 })], 'metadata'))).toBe(
    "Invalid value type <class 'list'> for input metadata.",
  );
});

test('a file input returns paths without empty ones', () => {
  expect(file().convert(['a.txt', '', null], 'x')).toEqual(['a.txt']);
  expect(file().convert('a.txt', 'x')).toEqual(['a.txt']);
});

test('a model input accepts a choice or a handle', () => {
  const ready = { kind: 'language-model', provider: 'OpenAI', model: 'm', settings: {} } as const;
  expect(model().convert(ready, 'x')).toBe(ready);
  expect(model().convert([{ name: 'gpt', provider: 'OpenAI', metadata: { a: 1 } }], 'x')).toEqual({
    name: 'gpt',
    provider: 'OpenAI',
    metadata: { a: 1 },
  });
  expect([model().convert('', 'x'), model().convert([], 'x')]).toEqual([null, null]);
});

test('a handle input returns the value of an edge unchanged', () => {
  const value = new Data({ a: 1 });
  expect(handle({ inputTypes: ['Data'] })).toMatchObject({
    kind: 'Handle',
    inputTypes: ['Data'],
    default: null,
  });
  expect(handle().convert(value, 'x')).toBe(value);
});
