import { planOf } from '../testing/test-flow';
import { chatRequest, runPlan } from '../testing/test-run';

/** Returns the error text of a run with a failing vertex that has this key and this text. */
async function failure(
  key: object,
  text: object,
  variables: Readonly<Record<string, string>>,
  more: object = {},
  changes: Parameters<typeof chatRequest>[1] = {},
): Promise<string> {
  const plan = planOf(
    [{ type: 'Failing', fields: { api_key: key, input_value: text, ...more } }, { type: 'TextOutput' }],
    ['Failing-a.text > TextOutput-a.input_value'],
  );
  const run = runPlan(plan, chatRequest('x', { outputs: { by: 'type', type: 'any' }, ...changes }), {
    variable: async (name) => variables[name],
  });
  return run.then(
    () => 'no failure',
    (error: Error) => error.message.split('\n\n')[1] ?? '',
  );
}

const stored = (name: string) => ({ value: name, load_from_db: true });

test('a key in an error text is redacted', async () => {
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

test('what a component hides is redacted', async () => {
  const hides = { value: 'found-0123456789' };
  expect(await failure({ value: '' }, { value: 'refused found-0123456789' }, {}, { hides })).toBe(
    'refused [hidden] is out of range.',
  );
});

test('a variable of the request is redacted, whatever its name', async () => {
  const variables = { PLACE: 'a long enough place' };
  const given = { globalVariables: variables };
  expect(await failure({ value: '' }, stored('PLACE'), variables, {}, given)).toBe(
    '[hidden] is out of range.',
  );
});

test('a variable of the user is redacted, whatever its name', async () => {
  const variables = { PLACE: 'a long enough place' };
  expect(await failure({ value: '' }, stored('PLACE'), variables)).toBe('[hidden] is out of range.');
});

test('values of less than eight characters, and those of other fields, are not redacted', async () => {
  expect(await failure({ value: 'short' }, { value: 'in short' }, {})).toBe('in short is out of range.');
  expect(await failure({ value: '' }, stored('PLACE'), { PLACE: 'Utrecht' })).toBe(
    'Utrecht is out of range.',
  );
  expect(await failure({ value: '' }, { value: 'a long enough place' }, {})).toBe(
    'a long enough place is out of range.',
  );
});
