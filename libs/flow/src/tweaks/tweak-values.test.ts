import type { PythonValue } from '@millrace/python-text';
import { boolean, dictionary, dropdown, float, integer, listOf, secret, tab, table, text } from '../index';
import type { Input } from '../index';
import { readField } from '../document/read-field';
import { convertSetting } from '../plan/compile-settings';
import { resolveField } from '../plan/resolve-field';
import { tweakField } from './tweak-field';

type Case = readonly [tweak: unknown, value: PythonValue];

/** The input of each kind, with the default "d" of the component and the saved value "s". */
const kinds: Readonly<Record<string, readonly [type: string, input: Input<unknown>, saved: PythonValue]>> = {
  text: ['str', text({ default: 'd' }), 's'],
  secret: ['str', secret({ default: 'd' }), 's'],
  dropdown: ['str', dropdown({ options: ['d', 's'], default: 'd' }), 's'],
  texts: ['str', listOf(text()), ['s']],
  integer: ['int', integer({ default: 7 }), 5],
  float: ['float', float({ default: 7.5 }), 5.5],
  slider: ['slider', float({ slider: true, default: 7.5 }), 5.5],
  switch: ['bool', boolean({ default: true }), false],
  dictionary: ['dict', dictionary({ default: { d: 1 } }), { s: 1 }],
  table: ['table', table(), [{ s: 1 }]],
  tab: ['tab', tab({ options: ['d', 's'], default: 'd' }), 's'],
};

/** What a Langflow 1.13.0 gives the component for each value; "fails" when it builds no vertex. */
const cases: Readonly<Record<string, readonly Case[]>> = {
  text: [
    [true, 'd'],
    [0, 'd'],
    [2.5, 'd'],
    [null, 'd'],
    ['', ''],
    ['a\\nb', 'a\nb'],
    [['a'], 'fails'],
  ],
  secret: [
    [false, 'd'],
    [3, 'd'],
    ['x', 'x'],
    [[1], 'fails'],
    [{ value: 3 }, 'd'],
    [{ value: 'v' }, 'v'],
  ],
  dropdown: [
    [true, 'd'],
    [3, 'd'],
    [{ a: 1 }, 's'],
    ['other', 'other'],
    [{ value: { x: 1 } }, 'd'],
  ],
  texts: [
    [
      [1, null, true, 'a'],
      ['1', 'None', 'True', 'a'],
    ],
    [
      [{ a: 1 }, { text: 't' }],
      ['', 't'],
    ],
    [3, []],
    [{ text: 't' }, ['s']],
  ],
  integer: [
    [true, 1],
    [false, 0],
    [2.5, 2],
    ['', 0],
    [' 3 ', 3],
    ['3.7', 3],
    ['x', 'fails'],
    [[1], 'fails'],
  ],
  float: [
    [true, 1],
    [false, 0],
    ['', 0],
    [' 3 ', 3],
    ['true', 'fails'],
    [[1], 'fails'],
    [{}, 5.5],
  ],
  slider: [
    [true, 1],
    [3, 3],
    [' 3 ', 3],
    [null, 7.5],
    [[1], 'fails'],
  ],
  switch: [
    [0, true],
    [3, true],
    ['', false],
    ['false', true],
    [[], true],
    [{ a: 1 }, false],
    [null, true],
  ],
  dictionary: [
    [{ value: { a: 1 } }, { a: 1 }],
    [
      { value: { a: 1 }, load_from_db: false },
      { value: { a: 1 }, load_from_db: false },
    ],
    [3, 'fails'],
    ['{"j":1}', { j: 1 }],
    ['[1]', 'fails'],
    [[{ a: 1 }], { a: 1 }],
    [['a'], 'fails'],
  ],
  table: [
    [3, 'fails'],
    [true, 'fails'],
    [null, []],
    [['a'], 'fails'],
    [[{ a: 1 }], [{ a: 1 }]],
  ],
  tab: [
    [false, 'd'],
    ['', 'd'],
    [3, 'fails'],
    ['other', 'fails'],
    [{ a: 1 }, 's'],
  ],
};

test.each(Object.keys(kinds))('a tweak of any JSON gives the value that Langflow gives: %s', (kind) => {
  const [type, input, saved] = kinds[kind] ?? [];
  if (type === undefined || input === undefined || saved === undefined) throw new Error(`no kind ${kind}`);
  const field = readField('x', { name: 'x', type, value: saved, show: true, list: kind === 'texts' });
  const given = ([tweak]: Case): unknown => {
    try {
      return convertSetting(input, resolveField(tweakField(field, tweak)), 'x');
    } catch {
      return 'fails';
    }
  };
  expect((cases[kind] ?? []).map((one) => [one[0], given(one)])).toEqual(cases[kind]);
});

test('the type that a tweak names decides how its value is read', () => {
  const field = readField('x', { name: 'x', type: 'int', value: 5, show: true });
  expect(resolveField(tweakField(field, { value: '07', type: 'str' }))).toBe('07');
});

test('each member of an object that tweaks a file is its path', () => {
  const field = readField('x', { name: 'x', type: 'file', value: '', file_path: 'saved', show: true });
  const pathOf = (tweak: unknown): unknown => resolveField(tweakField(field, tweak));
  expect(
    [{ value: 'v' }, { file_path: 'f' }, { text: 't', file_path: ['f'] }, {}, 'plain'].map(pathOf),
  ).toEqual(['v', 'f', ['f'], 'saved', 'plain']);
});
