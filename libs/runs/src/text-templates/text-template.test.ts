import { randomUUID } from 'node:crypto';
import { CODED, deriveTemplate, encodeText } from './text-template';
import type { RowValues, TextTemplate } from './text-template';

const row: RowValues = { runId: randomUUID(), flowId: randomUUID(), sessionId: 'session:1' };

/** What `whole_text` does; the contract of the stores compares with it. */
function wholeText(
  { parts, holes }: TextTemplate,
  coded: string,
  { runId, flowId, sessionId }: RowValues,
): string {
  const [, ...values] = coded.split('\n');
  const columns = [runId, flowId, sessionId];
  return parts
    .map((part, index) => {
      const hole = holes[index] ?? 0;
      return part + (hole === 0 ? '' : ((hole < 0 ? columns[-hole - 1] : values[hole - 1]) ?? ''));
    })
    .join('');
}

function answer(text: string, more: object = {}): object {
  const message = {
    text_key: 'text',
    data: { timestamp: '2026-01-02', text, files: [], error: false, ...more },
    text,
  };
  return {
    session_id: row.sessionId,
    outputs: [
      {
        inputs: { input_value: text },
        outputs: [
          {
            results: { message },
            outputs: { message: { message: text, type: 'text' } },
            messages: [{ message: text, component_id: 'ChatOutput-1' }],
            component_id: 'ChatOutput-1',
            run_id: row.runId,
            flow_id: row.flowId,
          },
        ],
      },
    ],
  };
}

function derive(text: string): TextTemplate {
  const template = deriveTemplate(text, row);
  if (template === null) throw new Error('the text has no template');
  return template;
}

test('a text is its digest and each of its values once, and becomes the same text again', () => {
  const text = JSON.stringify(answer('how are "you" \u{1f600} \u0007?'));
  const template = derive(text);
  const coded = encodeText(template, text, row) ?? '';
  expect(coded.split('\n')).toEqual([
    CODED + template.digest,
    'how are \\"you\\" \u{1f600} \\u0007?',
    '2026-01-02',
    'ChatOutput-1',
  ]);
  expect(wholeText(template, coded, row)).toBe(text);
});

test('texts of one shape have one template', () => {
  const first = derive(JSON.stringify(answer('first text')));
  const other: RowValues = { runId: randomUUID(), flowId: randomUUID(), sessionId: 'another' };
  const text = JSON.stringify(answer('second text'))
    .replaceAll(String(row.runId), String(other.runId))
    .replaceAll(String(row.flowId), String(other.flowId))
    .replace('session:1', 'another');
  const coded = encodeText(first, text, other) ?? '';
  expect(coded).toContain('second text');
  expect(wholeText(first, coded, other)).toBe(text);
  expect(deriveTemplate(text, other)?.digest).toBe(first.digest);
});

test.each([
  ['a longer list', (given: object) => ({ ...given, outputs: [] })],
  ['another member', (given: object) => ({ ...given, timedelta: null })],
  [
    'another text in one of the places',
    (given: object) => JSON.parse(JSON.stringify(given).replace('first', 'other')) as object,
  ],
])('a text with %s does not fit', (_, change) => {
  const template = derive(JSON.stringify(answer('first text')));
  expect(encodeText(template, JSON.stringify(change(answer('first text'))), row)).toBeNull();
});

test('a template holds no value of a flow or a caller', () => {
  const secrets = ['my name', 'private_field', 'Ann’s output', '4711', 'hidden'];
  const data = { private_field: 'hidden', list: [4711] };
  const text = JSON.stringify({
    ...answer('my name', { properties: data, duration: 4711 }),
    outputs: [
      { inputs: {}, outputs: [{ results: { 'Ann’s output': data }, outputs: { 'Ann’s output': 4711 } }] },
    ],
    artifacts: data,
  });
  const template = derive(text);
  for (const secret of secrets) expect(JSON.stringify(template)).not.toContain(secret);
  expect(wholeText(template, encodeText(template, text, row) ?? text, row)).toBe(text);
});

test.each([
  '',
  '{',
  '{"text":1',
  '[1,]',
  '{"text" :1}',
  'true false',
  `"${'x'.repeat(10)}`,
  '{"text":"a\n"}',
])('a text without a tree has no template: %j', (text) => {
  expect(deriveTemplate(text, row)).toBeNull();
});

test('a deep text is one without a template, and a long one does not overflow', () => {
  expect(deriveTemplate('['.repeat(100_000) + ']'.repeat(100_000), row)).toBeNull();
  const text = JSON.stringify({ text: '\\"'.repeat(2_000_000), data: null });
  const template = derive(text);
  expect(wholeText(template, encodeText(template, text, row) ?? '', row)).toBe(text);
});

test('whatever a text contains, it is stored whole or becomes the same text again', () => {
  const random = seeded(20_261_128);
  let coded = 0;
  let altered = 0;
  for (let round = 0; round < 3_000; round += 1) {
    const text = JSON.stringify(randomAnswer(random, 0));
    const template = derive(text);
    const own = encodeText(template, text, row);
    if (own !== null) {
      coded += 1;
      expect(wholeText(template, own, row)).toBe(text);
    }
    const at = Math.floor(random() * text.length);
    const other = text.slice(0, at) + '"\\,:{}[]a0~\n'.charAt(Math.floor(random() * 13)) + text.slice(at + 1);
    const fitted = encodeText(template, other, row);
    if (fitted !== null) {
      altered += 1;
      expect(wholeText(template, fitted, row)).toBe(other);
    }
  }
  expect(coded).toBeGreaterThan(1_000);
  expect(altered).toBeGreaterThan(100);
});

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const NAMES = [
  'session_id',
  'outputs',
  'results',
  'message',
  'messages',
  'text',
  'data',
  'type',
  'files',
  'own name',
  'x"y',
];

function randomAnswer(random: () => number, depth: number): unknown {
  const choose = <T>(from: readonly T[]): T | undefined => from[Math.floor(random() * from.length)];
  const kind = depth === 0 ? 0 : Math.floor(random() * (depth > 5 ? 4 : 6));
  if (kind === 0 || kind === 4) {
    const names = Array.from({ length: Math.floor(random() * 6) }, () => choose(NAMES) ?? 'text');
    return Object.fromEntries(names.map((name) => [name, randomAnswer(random, depth + 1)]));
  }
  if (kind === 5)
    return Array.from({ length: Math.floor(random() * 10) }, () => randomAnswer(random, depth + 1));
  if (kind === 1) return choose([0, -1.5, 1e21, true, false, null]);
  return choose([
    row.runId,
    row.flowId,
    row.sessionId,
    '',
    'User',
    '","text":"',
    '\n\u0000"',
    'a long text '.repeat(9),
    '\\',
  ]);
}
