import { deepEqual, equal, ok } from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Random } from '../../chaos/random.mjs';
import { changesIn } from './compare-langflows.mjs';
import { comparePlays } from './compare-plays.mjs';
import { embeddedTexts } from './embedded-texts.mjs';
import fieldValues from './field-values.json' with { type: 'json' };
import { generateCase } from './generate-case.mjs';
import { generateRun } from './generate-run.mjs';
import outOfReach from './out-of-reach.json' with { type: 'json' };
import { readEvents } from './read-events.mjs';
import { smallerCases, shrinkCase } from './shrink-case.mjs';
import { divideDifferences, readOpen, readWanted } from './wanted-differences.mjs';

/** @import { Case, Difference, Json, Template } from './case.ts' */

/**
 * @param {string} display_name
 * @param {readonly string[]} fields that take messages
 * @param {readonly string[]} types of the output
 * @returns {Template}
 */
const template = (display_name, fields, types = ['Message']) => ({
  display_name,
  template: Object.fromEntries(
    fields.map((name) => [name, { type: 'str', input_types: ['Message'], required: true, value: '' }]),
  ),
  outputs: [{ name: 'out', types, method: 'make_out' }],
});
const templates = {
  ChatInput: template('Chat Input', []),
  ChatOutput: template('Chat Output', ['input_value']),
  TextInput: template('Text Input', ['input_value']),
  'Prompt Template': template('Prompt Template', ['template']),
  CombineText: template('Combine Text', ['text1', 'text2']),
  TypeConverterComponent: template('Type Convert', ['input_data']),
  ParserComponent: template('Parser', ['input_data']),
  Service: template('Service', ['key']),
  Webhook: template('Webhook', []),
  InboundWebhookTrigger: template('Inbound Webhook Trigger', []),
  HumanInput: template('Human Input', ['prompt', 'decisions', 'enable_fallback']),
};
const material = {
  seed: 7,
  catalog: {
    templates,
    local: Object.keys(templates).filter((type) => !['Service', 'HumanInput'].includes(type)),
    examples: Object.fromEntries(Object.keys(templates).map((type) => [type, []])),
  },
  operations: [
    { method: 'GET', path: '/api/v1/flows/{flow_id}', parameters: [], body: null, type: null },
    {
      method: 'POST',
      path: '/api/v1/variables/',
      parameters: [],
      body: { type: 'object' },
      type: 'application/json',
    },
  ],
};
const ids = Array.from({ length: 60 }, (_, id) => id);

test('a model is asked to fail in some runs of a flow with one, whose failures are compared', () => {
  const node = { ...template('Model', []), template: { model: { type: 'model', show: false } } };
  const flow = {
    nodes: [
      {
        id: 'Model-a',
        type: /** @type {const} */ ('genericNode'),
        position: { x: 0, y: 0 },
        data: { id: 'Model-a', type: 'Model', node },
      },
    ],
    edges: [],
  };
  const runs = Array.from({ length: 100 }, (_, seed) =>
    generateRun(new Random(seed), flow, material.catalog),
  );
  const refused = runs.filter(({ steps }) => /\[\[(?:status|cut)=/.test(JSON.stringify(steps)));
  ok(refused.length > 5 && refused.length < 40);
  deepEqual(
    refused,
    runs.filter(({ form }) => form.startsWith('refused ')),
  );
});

test('the same seed gives the same cases, another one gives others', () => {
  const cases = ids.map((id) => generateCase(id, material));
  deepEqual(
    ids.map((id) => generateCase(id, material)),
    cases,
  );
  ok(JSON.stringify(ids.map((id) => generateCase(id, { ...material, seed: 8 }))) !== JSON.stringify(cases));
});

test('flows have one to six vertices, and edges between vertices that are there', () => {
  for (const { flow } of ids.map((id) => generateCase(id, material))) {
    const names = (flow?.nodes ?? []).map(({ id }) => id);
    ok(names.length <= 6, names.join());
    for (const { source, target } of flow?.edges ?? []) ok(names.includes(source) && names.includes(target));
  }
});

test('each type is generated', () => {
  const types = ids.flatMap(
    (id) => generateCase(id, material).flow?.nodes.map(({ data }) => data.type) ?? [],
  );
  deepEqual([...new Set(types)].sort(), Object.keys(templates).sort());
});

/**
 * @param {Json} left
 * @param {Json} right
 * @param {import('./case.ts').Flow} [flow]
 */
function differencesOf(left, right, flow) {
  const play = (/** @type {Json} */ body) => ({
    answers: [{ status: 200, headers: {}, body }],
    asked: [],
    milliseconds: 1,
  });
  /** @type {Case} */
  const tried = { id: 1, form: 'simple', steps: [{ route: 'GET /a', method: 'GET', path: '/a' }] };
  if (flow === undefined) return comparePlays(tried, play(left), play(right));
  const [one, other] = [left, right].map((body) => {
    const { answers, ...rest } = play(body);
    // The upload of the flow comes first.
    return { answers: [...answers, ...answers], ...rest };
  });
  return comparePlays({ ...tried, flow }, one, other);
}
const [A, B, C, D] = ['a', 'b', 'c', 'd'].map((letter) => `${letter.repeat(8)}-0000-4000-8000-000000000000`);

test('ids, times, durations and addresses are no differences', () => {
  const one = {
    id: A,
    also: `of ${A}`,
    at: '2026-11-28 10:00:00.123456 UTC',
    duration: 1,
    url: 'http://127.0.0.1:1/x',
  };
  const other = {
    id: B,
    also: `of ${B}`,
    at: '2026-11-29 11:01:02 UTC',
    duration: 2,
    url: 'http://127.0.0.1:22/x',
  };
  deepEqual(differencesOf(one, other), []);
});

test('arguments of tools differ by their values, not by their blanks', () => {
  const call = (/** @type {string} */ text) => ({ function: { name: 'add', arguments: text } });
  deepEqual(differencesOf(call('{"a": 1}'), call('{"a":1}')), []);
  deepEqual(
    differencesOf(call('{"a": 1}'), call('{"a":2}')).map(({ path }) => path),
    ['body.function.arguments.a'],
  );
});

test('the order in which Batch Run asks for its rows is no difference, that of other components is', () => {
  const kindsOf = (/** @type {string} */ type) => {
    const node = { id: `${type}-abcde` };
    const tried = /** @type {any} */ ({ flow: { nodes: [node], edges: [] }, steps: [], before: [] });
    const [left, right] = [
      ['one', 'two'],
      ['two', 'one'],
    ].map((asked) => ({
      answers: [{ status: 201, headers: {}, body: null }],
      asked,
      milliseconds: 1,
    }));
    return comparePlays(tried, left, right).map(({ kind }) => kind);
  };
  deepEqual([kindsOf('BatchRunComponent'), kindsOf('Agent')], [[], ['value', 'value']]);
});

test('an id that stands for two is a difference', () => {
  const found = differencesOf({ id: A, other: A, third: C }, { id: B, other: D, third: C });
  deepEqual(
    found.map(({ path, kind }) => [path, kind]),
    [['body.other', 'value']],
  );
});

test('the order in which vertices side by side end is no difference, that of other messages is', () => {
  const message = (/** @type {string} */ sender, /** @type {string} */ text) => ({ sender, text });
  const [one, other] = [message('Machine', 'a'), message('Machine', 'b')];
  const ends = (/** @type {number} */ count) =>
    /** @type {any} */ ({
      nodes: Array.from({ length: count }, (_, index) => ({ id: `Chat-${index}` })),
      edges: [],
    });
  deepEqual(differencesOf([one, other], [other, one], ends(2)), []);
  equal(differencesOf([one, other], [other, one], ends(1)).length, 2);
  equal(differencesOf([one, other], [other, message('Machine', 'c')], ends(2)).length, 2);
  const stream = (/** @type {string[]} */ ...order) => ({ order, data: {} });
  deepEqual(differencesOf(stream('a', 'b', 'a', 'end'), stream('a', 'b', 'end'), ends(2)), []);
  equal(differencesOf(stream('a', 'b', 'end'), stream('a', 'end'), ends(2)).length, 1);
  const next = (/** @type {string[]} */ ...vertices) => ({ next_vertices_ids: vertices });
  deepEqual(differencesOf(next('a'), next(), ends(2)), []);
  equal(differencesOf(next('a'), next(), ends(1)).length, 1);
});

test('members, types, lengths and values differ by their paths', () => {
  const found = differencesOf(
    { left: 1, type: null, list: [1], items: [{ text: 'a' }] },
    { more: 1, type: 'x', list: [], items: [{ text: 'b' }] },
  );
  deepEqual(
    found.map(({ path, kind }) => `${kind} ${path}`),
    [
      'missing body.left',
      'type body.type',
      'length body.list',
      'value body.items.[].text',
      'additional body.more',
    ],
  );
});

test('a text that an answer repeats is one difference', () => {
  equal(
    differencesOf({ text: 'a\nb', also: { message: 'a\n\nb' } }, { text: 'c', also: { message: 'c' } })
      .length,
    1,
  );
});

test('events in a row with one name are one, and tokens are joined', () => {
  const lines = ['token', 'token', 'end'].map(
    (event, index) => `{"event": "${event}", "data": {"chunk": "${index}"}}`,
  );
  deepEqual(readEvents(lines.join('\n\n')), {
    order: ['token', 'end'],
    tokens: '01',
    data: { end: [{ chunk: '2' }] },
  });
  deepEqual(readEvents('event: message\ndata: {"a":1}\n\ndata: [DONE]\n\n').order, ['message', '[DONE]']);
});

test('a case shrinks to what still shows the difference', async () => {
  const large = ids.map((id) => generateCase(id, material)).find(({ flow }) => (flow?.nodes.length ?? 0) > 3);
  ok(large !== undefined);
  /** @param {Case} tried */
  const shows = async ({ flow }) => flow?.nodes.some(({ data }) => data.type === 'ChatOutput') === true;
  const smallest = await shrinkCase(large, shows, 500);
  deepEqual(
    smallest.flow?.nodes.map(({ data }) => data.type),
    ['ChatOutput'],
  );
  equal(smallest.steps.length, 1);
  ok([...smallerCases(large)].every((tried) => JSON.stringify(tried).length < JSON.stringify(large).length));
});

test('a wanted difference hides what matches its route, member and condition', () => {
  /** @type {Difference} */
  const found = {
    route: 'GET /api/v1/flows/',
    path: 'body.[].version',
    kind: 'additional',
    left: undefined,
    right: 1,
  };
  const entry = { route: 'GET /api/v1/flows/*', member: 'body.*version', reason: 'our guarantee', page: '' };
  deepEqual(divideDifferences([found], [entry]), { rest: [], hiddenBy: [0] });
  deepEqual(divideDifferences([found], [{ ...entry, condition: 'missing *' }]), {
    rest: [found],
    hiddenBy: [],
  });
  deepEqual(divideDifferences([found], [{ ...entry, condition: '*absent > 1' }]).rest, []);
  const other = { ...found, path: 'body.[].name' };
  const beside = { ...entry, beside: 'body.*name' };
  deepEqual(divideDifferences([found], [beside]).rest, [found]);
  deepEqual(divideDifferences([found, other], [beside]).rest, [other]);
  const conditioned = { ...entry, beside: 'body.*name additional * > 1' };
  deepEqual(divideDifferences([found, other], [conditioned]).rest, [other]);
  deepEqual(divideDifferences([found, { ...other, right: 2 }], [conditioned]).rest.length, 2);
  const ofAgents = { ...entry, type: '*Agent' };
  deepEqual(divideDifferences([found], [ofAgents], ['ChatInput']).rest, [found]);
  deepEqual(divideDifferences([found], [ofAgents], ['ChatInput', 'ToolCallingAgent']).rest, []);
});

test('each wanted difference names a reason, and a sentence of the compatibility page', () => {
  ok(Array.isArray(readWanted()));
});

test('each known defect says what it is, and hides none that is wanted', () => {
  const wanted = new Set(
    readWanted().map(({ route, member, condition, type }) => [route, member, condition, type].join()),
  );
  for (const { route, member, condition, type, why } of readOpen()) {
    ok(why.length > 10);
    ok(!wanted.has([route, member, condition, type].join()));
  }
});

test('the changes of a description are those of its members', () => {
  const changes = changesIn(
    { a: { type: 'str', list: [1] }, b: 1 },
    { a: { type: 'int', list: [1] }, c: [] },
    '',
  );
  deepEqual(
    changes.map(({ path, before, after }) => [path, before, after]),
    [
      ['a.type', 'str', 'int'],
      ['b', 1, undefined],
      ['c', undefined, []],
    ],
  );
});

test('the types that are out of reach have no values of fields', () => {
  deepEqual(
    Object.keys(outOfReach).filter((type) => type in fieldValues),
    [],
  );
});

test('a fork of a generator has a sequence of its own', () => {
  equal(new Random(1).fork('case 1').next(), new Random(1).fork('case 1').next());
});

test('ids of tokens are embedded as the texts that they mean', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'tokens-')), 'tokens');
  writeFileSync(
    file,
    `${['a', ' ', 'ü'].map((text, id) => `${Buffer.from(text).toString('base64')} ${id}`).join('\n')}\n`,
  );
  const read = embeddedTexts(file);
  const asked = { model: 'm', input: [[0, 1, 2], 'as it is'], encoding_format: 'base64' };
  deepEqual(JSON.parse(read(Buffer.from(JSON.stringify(asked))).toString()), {
    model: 'm',
    input: ['a ü', 'as it is'],
    encoding_format: 'float',
  });
  rmSync(join(file, '..'), { recursive: true });
});
