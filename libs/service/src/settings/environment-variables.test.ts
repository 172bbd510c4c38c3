import { environmentVariables } from './environment-variables';

const environment = {
  OPENAI_API_KEY: 'sk-model',
  HOME: '/home/user',
  DATABASE_URL: 'postgres://secret',
  DATABASE_DIRECT_URL: 'postgres://secret',
  MILLRACE_API_KEY: 'never',
  A_TO_B_C: 'between',
};

test('returns only variables that match a pattern', () => {
  const variable = environmentVariables(environment, ['*_API_KEY', 'A_*_B_*']);
  expect(variable('OPENAI_API_KEY')).toBe('sk-model');
  expect(variable('A_TO_B_C')).toBe('between');
  expect(variable('HOME')).toBeUndefined();
});

test("never returns the server's own settings", () => {
  const variable = environmentVariables(environment, ['*']);
  expect(variable('HOME')).toBe('/home/user');
  expect(variable('DATABASE_URL')).toBeUndefined();
  expect(variable('DATABASE_DIRECT_URL')).toBeUndefined();
  expect(variable('MILLRACE_API_KEY')).toBeUndefined();
});
