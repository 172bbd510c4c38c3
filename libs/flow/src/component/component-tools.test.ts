import { Data, DataFrame, Message } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';
import {
  boolean,
  defineComponent,
  dropdown,
  integer,
  listOf,
  tab,
  table,
  text,
  componentTools,
} from '../index';
import type { Component, ComponentContext } from '../index';
import type { ToolComponentState } from './component-tools';

const emitted: string[] = [];
const context = {
  fields: { kept: 'yes' },
  vertex: { type: 'Thing' },
  emitBuild: (event: string) => emitted.push(event),
} as unknown as ComponentContext;
const tools = (component: Component, given: Partial<ToolComponentState> = {}) => {
  const inputs = Object.fromEntries(
    Object.entries(component.inputs).map(([name, { default: value }]) => [name, value]),
  );
  return componentTools(component, { inputs, connected: new Set(), table: null, context, ...given });
};
const output = { types: ['Message'] };
const component = (parts: Partial<Component>): Component =>
  defineComponent({
    type: 'Thing',
    displayName: 'Thing',
    description: 'Does a thing.',
    inputs: { a: text({ displayName: 'A' }) },
    outputs: { out: output },
    deterministic: true,
    run: () => ({ out: 'done' }),
    ...parts,
  });

test('a call of a vertex as a tool is announced; a tool that belongs to an agent itself has no vertex', async () => {
  const thing = component({});
  await tools(thing)[0]?.call({});
  expect(emitted.splice(0)).toEqual(['build_start', 'build_end']);
  await tools(component({ type: 'Other' }))[0]?.call({});
  expect(emitted).toEqual([]);
});

test('each output is a tool named after its method, unless it opts out', () => {
  const thing = component({
    outputs: { one: { ...output, method: 'build one' }, two: output, three: { ...output, tool: false } },
  });
  expect(tools(thing).map(({ name, description }) => [name, description])).toEqual([
    ['build-one', 'Does a thing.'],
    ['two', 'Does a thing.'],
  ]);
});

test('a tool answers with JSON where its output is data, not where it is a message', () => {
  const thing = component({ outputs: { one: output, two: { types: ['Data', 'JSON'] } } });
  expect(tools(thing).map(({ answersJson }) => answersJson)).toEqual([undefined, true]);
});

test('arguments are the inputs marked as tool arguments, else the required ones, else all; never a connected one or a setting', () => {
  const names = (inputs: Component['inputs'], wired: readonly string[] = []): readonly string[] =>
    Object.keys(
      tools(component({ inputs }), { connected: new Set(wired) })[0]?.parameters['properties'] ?? {},
    );
  const meant = text({ tool: true });
  const required = text({ required: true });
  expect(names({ meant, required, other: text() })).toEqual(['meant']);
  expect(names({ required, other: text() })).toEqual(['required']);
  expect(names({ one: text(), other: text() })).toEqual(['one', 'other']);
  expect(names({ meant, also: meant }, ['also'])).toEqual(['meant']);
  expect(names({ setting: text({ tool: false }) })).toEqual([]);
});

test('arguments have the type of their input', () => {
  const inputs = {
    words: listOf(text({ displayName: 'Words', required: true })),
    count: integer({ description: 'How many.' }),
    loud: boolean(),
    mode: tab({ options: ['x', 'y'], default: 'x' }),
    rows: table(),
    zone: dropdown({ options: ['UTC', 'Asia/Tokyo'], default: 'UTC', opensOptions: true }),
  };
  const marked = Object.fromEntries(
    Object.entries(inputs).map(([name, input]) => [name, { ...input, tool: true }]),
  );
  expect(tools(component({ inputs: marked }))[0]?.parameters).toEqual({
    type: 'object',
    properties: {
      words: { type: 'array', items: { type: 'string' }, description: 'Words' },
      count: { type: 'integer', description: 'How many.', default: '' },
      loud: { type: 'boolean', description: 'loud', default: false },
      mode: { type: 'string', enum: ['x', 'y'], description: 'mode', default: 'x' },
      rows: { type: 'array', items: { type: 'object' }, description: 'rows', default: '' },
      zone: { type: 'string', description: 'zone', default: 'UTC' },
    },
    required: ['words'],
  });
});

test('a call runs the component for one output; its arguments replace the values of the node', async () => {
  const seen: unknown[] = [];
  const thing = component({
    inputs: { a: text({ tool: true }), b: text({ default: 'node' }) },
    outputs: { one: output, two: output },
    run: (inputs, called) => {
      seen.push(inputs, called.fields, called.wants('one'), called.wants('two'), called.feeds('ChatOutput'));
      return { two: 'done' };
    },
  });
  let begun = 0;
  const [, two] = tools(thing, { begin: () => void (begun += 1) });
  expect(await two?.call({ a: 'model', unknown: 1 })).toBe('done');
  expect(seen).toEqual([{ a: 'model', b: 'node' }, { kept: 'yes', a: 'model' }, false, true, false]);
  expect(begun).toBe(1);
});

test.each<readonly [PythonValue, string]>([
  [new Message({ text: 'words' }), 'words'],
  [new Data({ a: 'ä', b: [1, null] }), '{"a": "ä", "b": [1, null]}'],
  [new DataFrame([{ a: 1 }]), '|   a |\n|----:|\n|   1 |'],
  [[new Data({ a: 1 })], '[{"text_key": "text", "data": {"a": 1}, "default_value": ""}]'],
  [7, '7'],
  [null, 'null'],
])('%p is returned to the model as %p', async (value, expected) => {
  const thing = component({ run: () => ({ out: value }) });
  expect(await tools(thing)[0]?.call({})).toBe(expected);
});

test('a vertex shows a table as pandas prints it', async () => {
  const thing = component({ run: () => ({ out: new DataFrame([{ a: 1 }]) }) });
  expect(await tools(thing, { begin: () => undefined })[0]?.call({})).toBe('   a\n0  1');
});

test('a streamed text is read to its end', async () => {
  async function* stream(): AsyncGenerator<string, void, undefined> {
    yield 'a';
    yield 'b';
  }
  const thing = component({ run: () => ({ out: new Message({ text: '', stream: stream() }) }) });
  expect(await tools(thing)[0]?.call({})).toBe('ab');
});

test('a table of tools enables, renames and describes tools', () => {
  const thing = component({ outputs: { one: output, two: output, three: output } });
  const rows = [
    { name: 'first', description: 'The first.', tags: ['one'], status: true },
    { name: 'two', tags: ['two'], status: false },
    'nonsense',
  ];
  expect(tools(thing, { table: rows }).map(({ name, description }) => [name, description])).toEqual([
    ['first', 'The first.'],
  ]);
  const renamed = [{ name: 'My Thing', description: 'Mine.', tags: 'My Thing' }];
  expect(tools(component({}), { table: renamed }).map(({ name }) => name)).toEqual(['My-Thing']);
});

test('an output of earlier versions is a tool only if the table names it, with or without the type prefix', () => {
  const thing = component({
    outputs: { one: output, old: { ...output, tool: 'named', method: 'build_old' } },
  });
  const names = (...chosen: readonly string[]): readonly string[] =>
    tools(thing, { table: chosen.map((name) => ({ name, tags: [name] })) }).map(({ name }) => name);
  expect(names()).toEqual(['one']);
  expect(names('one')).toEqual(['one']);
  expect(names('Thing-build_old')).toEqual(['Thing-build_old']);
  expect(names('Thing-one', 'build_old')).toEqual(['Thing-one', 'build_old']);
  expect(names('renamed')).toEqual(['renamed']);
});
