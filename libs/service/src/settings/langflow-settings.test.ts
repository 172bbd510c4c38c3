import { choice, integer, text } from './kinds';
import { withLangflowSettings } from './langflow-settings';

const definition = {
  PORT: integer({ description: 'Port.', default: 7860, maximum: 65_535 }),
  HOST: text({ description: 'Host.', default: '127.0.0.1' }),
  LOG_LEVEL: choice(['info', 'warn', 'fatal'], {
    description: 'Level.',
    default: 'info',
    formerly: ['LEVEL'],
  }),
};

test('variables of Langflow that mean the same are settings, unless the setting itself is set', () => {
  const given = { LANGFLOW_PORT: '81', LANGFLOW_LOG_LEVEL: 'WARNING', LANGFLOW_HOST: '0.0.0.0', HOST: '::1' };
  expect(withLangflowSettings(definition, given)).toEqual({
    environment: { ...given, PORT: '81', LOG_LEVEL: 'warn' },
    warnings: [],
  });
  for (const own of [{ LOG_LEVEL: 'info' }, { LEVEL: 'info' }, { LOG_LEVEL_FILE: '/level' }]) {
    const environment = { LANGFLOW_LOG_LEVEL: 'warning', ...own };
    expect(withLangflowSettings(definition, environment).environment).toEqual(environment);
  }
});

test('each other variable has one sentence; a value that does not fit is named without it', () => {
  const { environment, warnings } = withLangflowSettings(definition, {
    LANGFLOW_AUTO_LOGIN: 'true',
    LANGFLOW_REDIS_URL: 'redis://:password@redis',
    LANGFLOW_MADE_UP: '1',
    LANGFLOW_PORT: 'eighty',
    LANGFLOW_CACHE_TYPE: '',
    LANGFLOW_WORKERS: '4',
    LANGFLOW_MAX_FILE_SIZE_UPLOAD: '100',
  });
  expect(environment).not.toHaveProperty('PORT');
  expect(warnings).toEqual([
    expect.stringMatching(/^LANGFLOW_AUTO_LOGIN is set and has no effect: Every caller needs an API key/),
    expect.stringMatching(/^LANGFLOW_REDIS_URL is set and has no effect: Not read/),
    'LANGFLOW_MADE_UP is set and has no effect: it has no counterpart here',
    expect.stringMatching(/^LANGFLOW_PORT is set and has no effect: as PORT it must be/),
  ]);
  expect(warnings.join()).not.toContain('password');
});

test('the number of workers is for the gateway alone', () => {
  const workers = { MILLRACE_WORKERS: integer({ description: 'Workers.', default: 1 }) };
  const given = { LANGFLOW_WORKERS: '4' };
  expect(withLangflowSettings(workers, given).environment).toEqual(given);
  expect(withLangflowSettings({ ...workers, ...definition }, given).environment).toMatchObject({
    MILLRACE_WORKERS: '4',
  });
});
