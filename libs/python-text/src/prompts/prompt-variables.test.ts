import { promptVariables } from '../index';

test('lists the variables in order, each once', () => {
  expect(promptVariables('{b} {a} {b} {č!r} {n:>5} {{literal}} text')).toEqual(['b', 'a', 'č', 'n']);
  expect(promptVariables('{{b}} {single} {{a}} {{b}}', true)).toEqual(['b', 'a']);
});

test('skips names that look like JSON or also occur in double braces', () => {
  expect(promptVariables('{"k": 1} {x} {{y}} {y}')).toEqual(['x']);
});

test('rejects invalid and reserved names, and unbalanced braces', () => {
  expect(() => promptVariables('{a b} {1c} {ok}')).toThrow(
    'Input variables contain invalid characters or formats. \nInvalid variables: a b, 1c.\n',
  );
  expect(() => promptVariables('{template}')).toThrow(
    'None of the variables can be named code, input_variables,',
  );
  expect(() => promptVariables('{open')).toThrow("expected '}' before end of string");
  expect(() => promptVariables('{{open', true)).toThrow('Invalid template syntax.');
});
