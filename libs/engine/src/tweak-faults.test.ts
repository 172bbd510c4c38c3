import { RunError } from '@millrace/flow';
import { planOf } from './testing/test-flow';
import { chatRequest, runPlan, testEnvironment } from './testing/test-run';
import { execute } from './execute';

const plan = planOf(
  [
    { type: 'ChatInput' },
    {
      type: 'Join',
      fields: {
        count: { type: 'int', value: 1 },
        weight: { type: 'slider', value: 1.5 },
        pairs: { type: 'dict', value: {} },
        rows: { type: 'table', value: [] },
        path: { type: 'file', file_path: '' },
        hidden: { type: 'int', value: 1, show: false },
      },
    },
    { type: 'ChatOutput' },
  ],
  ['ChatInput-a.message > Join-a.first', 'Join-a.joined > ChatOutput-a.input_value'],
);

async function faultOf(tweak: object): Promise<string> {
  const environment = testEnvironment();
  const run = execute(plan, chatRequest('x', { tweaks: { 'Join-a': { ...tweak } } }), environment);
  const error: unknown = await run.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof RunError)) return 'runs';
  expect([error.code, environment.stored, environment.reports]).toEqual(['tweak_invalid', [], []]);
  return error.message;
}

const notInt = (kind: string) =>
  `int() argument must be a string, a bytes-like object or a real number, not '${kind}'`;

test.each<[object, string]>([
  [{ count: ['a'] }, notInt('list')],
  [{ count: { value: { a: 1 } } }, notInt('dict')],
  [{ count: 2.5 }, 'runs'],
  [{ count: 'no number' }, 'runs'],
  [{ count: null }, 'runs'],
  [{ weight: [] }, "float() argument must be a string or a real number, not 'list'"],
  [{ pairs: [{ a: 1 }, 'b'] }, "'str' object has no attribute 'items'"],
  [{ pairs: [12] }, "'int' object has no attribute 'items'"],
  [{ pairs: [{ a: 1 }] }, 'runs'],
  [{ pairs: 12 }, 'runs'],
  [{ rows: 'text' }, "Invalid value type <class 'str'> for table field rows"],
  [{ rows: [1] }, "Invalid value type <class 'list'> for table field rows"],
  [{ rows: null }, 'runs'],
  [{ rows: [{ a: 1 }] }, 'runs'],
  [{ path: 12 }, 'FileInput values must be file path strings.'],
  [{ path: [] }, 'runs'],
  [{ first: { value: 'a', type: 'unknown' } }, 'Field first in Join is not a valid field type: unknown'],
  [{ hidden: [] }, 'runs'],
])(
  'a tweak %j of a kind from which no vertex is built fails before anything runs: %s',
  async (tweak, text) => {
    expect(await faultOf(tweak)).toBe(text);
  },
);

test('the first vertex and field of the flow name the fault', async () => {
  expect(await faultOf({ rows: 1, count: [] })).toBe(notInt('list'));
});

test('a followed run takes the value as it is', async () => {
  const request = chatRequest('x', { tweaks: { 'Join-a': { count: [] } }, stream: true, vertexEvents: true });
  expect((await runPlan(plan, request)).response.outputs).toHaveLength(1);
});

test.each<[unknown, string]>([
  [{ value: 'a.txt', type: 'str' }, 'Runtime FileInput tweaks must provide a file path.'],
  [{}, 'Runtime FileInput tweaks must provide a file path.'],
  [{ file_path: 12, value: 'a.txt' }, 'FileInput values must be file path strings.'],
  [{ value: ['a.txt', 1] }, 'FileInput values must be file path strings.'],
  [12, 'FileInput values must be file path strings.'],
  [{ value: 'a.txt' }, 'runs'],
  [{ file_path: 'a.txt', value: 1 }, 'runs'],
  [['a.txt'], 'runs'],
  [null, 'runs'],
])(
  'a followed run refuses the tweak %j of a file without a path before anything runs: %s',
  async (path, text) => {
    const tweaks = { 'Join-a': { path, count: [] } };
    const request = chatRequest('x', { tweaks, stream: true, vertexEvents: true });
    const environment = testEnvironment();
    const ended = await execute(plan, request, environment).then(
      () => 'runs',
      (error: unknown) => (error instanceof RunError ? error.message : error),
    );
    expect([ended, environment.stored.length > 0]).toEqual([text, text === 'runs']);
  },
);
