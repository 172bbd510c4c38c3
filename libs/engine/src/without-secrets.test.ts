import { planOf } from './testing/test-flow';
import { chatRequest, runPlan } from './testing/test-run';

/** What a run of a failing vertex says whose key and text are these. */
async function failure(
  key: object,
  text: object,
  variables: Readonly<Record<string, string>>,
): Promise<string> {
  const plan = planOf(
    [{ type: 'Failing', fields: { api_key: key, input_value: text } }, { type: 'TextOutput' }],
    ['Failing-a.text > TextOutput-a.input_value'],
  );
  const run = runPlan(plan, chatRequest('x', { outputs: { by: 'type', type: 'any' } }), {
    variable: async (name) => variables[name],
  });
  return run.then(
    () => 'no failure',
    (error: Error) => error.message.split('\n\n')[1] ?? '',
  );
}

const stored = (name: string) => ({ value: name, load_from_db: true });

test('an error that says a key back is told without it', async () => {
  const variables = {
    MY_SERVICE: 'key-0123456789',
    OTHER_API_KEY: 'other-0123456789',
    PLACE: 'a long enough place',
  };
  expect(await failure({ value: 'literal-0123456789' }, { value: 'refused literal-0123456789' }, {})).toBe(
    'refused [hidden] is out of range.',
  );
  expect(await failure(stored('MY_SERVICE'), { value: '<key-0123456789>' }, variables)).toBe(
    '<[hidden]> is out of range.',
  );
  expect(await failure({ value: '' }, stored('OTHER_API_KEY'), variables)).toBe('[hidden] is out of range.');
});

test('what is no key stays in the error, and so does what is too short to be one', async () => {
  expect(await failure({ value: 'short' }, { value: 'in short' }, {})).toBe('in short is out of range.');
  expect(await failure({ value: '' }, stored('PLACE'), { PLACE: 'a long enough place' })).toBe(
    'a long enough place is out of range.',
  );
});
