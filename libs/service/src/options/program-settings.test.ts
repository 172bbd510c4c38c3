import { startProgram } from '../testing/start-program';

const run = (words: readonly string[], environment: NodeJS.ProcessEnv = {}) =>
  startProgram(
    `process.argv.push(...${JSON.stringify(words)});
    const read = service.programSettings({
      usage: 'mill [options]',
      settings: {
        PORT: service.integer({ description: 'Port.', default: 7860, maximum: 65535 }),
        PLACE: service.text({ description: 'Place.', default: 'here', formerly: ['SPOT'] }),
      },
      options: { port: 'PORT', place: 'PLACE' },
      flags: ['demo'],
    });
    console.log(JSON.stringify({ ...read, environment: read.environment['PORT'] ?? null }));`,
    environment,
  ).ended;

test('an option overrides the environment and a file that the environment names', async () => {
  const { output } = await run(['--port', '81', '--demo'], { PORT_FILE: '/nowhere', PLACE: 'there' });
  expect(JSON.parse(output)).toEqual({
    settings: { PORT: 81, PLACE: 'there' },
    given: { port: '81' },
    flags: { demo: true },
    environment: '81',
    warnings: [],
  });
  expect(JSON.parse((await run([], { PORT: '82' })).output)).toEqual({
    settings: { PORT: 82, PLACE: 'here' },
    given: {},
    flags: { demo: false },
    environment: '82',
    warnings: [],
  });
});

test('returns a warning for a former name, unless an option overrides the setting', async () => {
  const read = async (words: readonly string[]) =>
    JSON.parse((await run(words, { SPOT: 'there' })).output) as object;
  expect(await read([])).toMatchObject({
    settings: { PLACE: 'there' },
    warnings: ['SPOT is the former name of PLACE; set PLACE instead'],
  });
  expect(await read(['--place', 'nowhere'])).toMatchObject({ settings: { PLACE: 'nowhere' }, warnings: [] });
});

test('reports a refused value for the option and exits with 64; a wrong setting exits with 78', async () => {
  expect(await run(['--port', '99999'])).toEqual({
    code: 64,
    output: '',
    faults: '--port must be at most 65535, but is "99999"\n',
  });
  expect(await run([], { PORT: 'many' })).toEqual({
    code: 78,
    output: '',
    faults: 'Wrong settings:\n  PORT must be a whole number, but is "many"\n',
  });
});

test('settings that do not fit together exit with 78', async () => {
  const start = (environment: NodeJS.ProcessEnv) =>
    startProgram(
      `service.programSettings({
        usage: 'mill',
        settings: { ...service.commonSettings, ...service.pythonSettings },
        check: (settings) => service.checkPythonExposure(settings, settings.HOST),
      });
      console.log('started');`,
      environment,
    ).ended;
  expect(await start({ MILLRACE_PYTHON: 'all' })).toMatchObject({ code: 0, output: 'started' });
  const exposed = { MILLRACE_PYTHON: 'all', HOST: '0.0.0.0' };
  expect(await start(exposed)).toMatchObject({
    code: 78,
    output: '',
    faults: expect.stringMatching(/^Wrong settings:\n {2}MILLRACE_PYTHON=all with HOST=0\.0\.0\.0 [^\n]+\n$/),
  });
  expect(await start({ ...exposed, MILLRACE_PYTHON_ALL_ALLOWED: 'true' })).toMatchObject({ code: 0 });
});

test('--help prints the usage and exits with 0, regardless of the settings', async () => {
  expect(await run(['--help'], { PORT: 'many' })).toEqual({ code: 0, output: 'mill [options]', faults: '' });
});
