import { ComponentError, RunError } from './errors';

test('an error has its code, its permanent flag and its cause', () => {
  const cause = new Error('why');
  const error = new RunError('component_failed', 'what', { cause, permanent: false });
  expect(error).toMatchObject({ name: 'RunError', code: 'component_failed', permanent: false, cause });
  expect(new ComponentError('bad value').permanent).toBe(true);
});
