import { createLogger } from '../index';
import { startProgram } from '../testing/start-program';

function recorder() {
  const lines: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  return { lines, logger: createLogger({ name: 'mill', level: 'info', destination }) };
}

test('writes fields, level by name, ISO time and the message', () => {
  const { lines, logger } = recorder();
  logger.info({ runs: 3 }, 'went well');
  logger.debug({}, 'too quiet');
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatchObject({ name: 'mill', level: 'info', runs: 3, msg: 'went well' });
  expect(lines[0]?.['time']).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
});

test('each value of JavaScript is written as JSON or left out', () => {
  const { lines, logger } = recorder();
  const at = new Date(0);
  const call = (): void => undefined;
  logger.info(
    { none: undefined, empty: null, nan: Number.NaN, big: 12n, at, call, 'a"b': 'c"\n' },
    'quote "',
  );
  const written = { empty: null, nan: null, big: '12', at: '1970-01-01T00:00:00.000Z', 'a"b': 'c"\n' };
  expect(lines).toEqual([
    { level: 'info', time: expect.any(String), name: 'mill', ...written, msg: 'quote "' },
  ]);
});

test('hides secrets by their name, at any depth', () => {
  const { lines, logger } = recorder();
  const secrets = {
    authorization: 'a',
    Cookie: 'b',
    'set-cookie': ['c'],
    'x-api-key': 'd',
    apiKey: 'e',
    OPENAI_API_KEY: 'f',
    password: 'g',
    clientSecret: 'h',
    access_token: 'i',
    token: 'k',
    MILLRACE_ENCRYPTION_KEY: ['j'],
  };
  logger.child({ request: { headers: secrets } }).info({ ...secrets, list: [{ secrets }] }, 'x');
  for (const value of Object.values(secrets).flat())
    expect(JSON.stringify(lines[0])).not.toContain(`"${value}"`);
});

test('hides secrets by their look, in fields, messages and errors', () => {
  const { lines, logger } = recorder();
  const key = 'sk-AbCdEfGh12345678';
  const url = 'amqp://guest:hunter22@broker:5672/';
  const error = new Error(`refused ${key}`, { cause: new Error(`at ${url}`) });
  logger.error(
    { error, path: `/run?x-api-key=${key}`, note: [`Bearer ${key}`], url },
    `with ${key} at ${url}`,
  );
  const line = JSON.stringify(lines[0]);
  expect(line).not.toContain('AbCdEfGh');
  expect(line).not.toContain('hunter22');
  expect(line).toContain('amqp://guest:[hidden]@broker:5672/');
});

test('keeps token counts, error codes and causes', () => {
  const { lines, logger } = recorder();
  const error = Object.assign(new Error('outer', { cause: new Error('inner') }), { code: 'run_failed' });
  logger.warn({ error, total_tokens: 12, max_tokens: 5 }, 'x');
  expect(lines[0]).toMatchObject({
    total_tokens: 12,
    max_tokens: 5,
    error: { type: 'Error', message: 'outer', code: 'run_failed', cause: { message: 'inner' } },
  });
});

test('limits cycles, huge objects and long texts', () => {
  const { lines, logger } = recorder();
  const cycle: Record<string, unknown> = { text: 'x'.repeat(100_000), buffer: Buffer.alloc(9) };
  cycle['itself'] = cycle;
  cycle['many'] = Array.from({ length: 5000 }, (_, index) => index);
  logger.info(cycle, 'x');
  expect(JSON.stringify(lines[0]).length).toBeLessThan(100_000);
  expect(lines[0]?.['buffer']).toBe('(9 bytes)');
});

describe('lines to standard output', () => {
  const program = (last: string) =>
    startProgram(`
      const logger = service.createLogger({ name: 'mill', level: 'info' });
      logger.info({}, 'first');
      service.createLogger({ name: 'other', level: 'info' }).info({}, 'second');
      ${last}`);
  const messages = (output: string) =>
    output
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => (JSON.parse(line) as { msg: string }).msg);

  test.each([
    ['at a regular end', ''],
    ['at an exit', 'process.exit();'],
    ['after a short time', "setTimeout(() => process.kill(process.pid, 'SIGKILL'), 500);"],
  ])('are all there, in order, %s', async (_, last) => {
    expect(messages((await program(last).ended).output)).toEqual(['first', 'second']);
  });

  test('precede a warning, which is written at once', async () => {
    const { output } = await program("logger.warn({}, 'third'); process.kill(process.pid, 'SIGKILL');").ended;
    expect(messages(output)).toEqual(['first', 'second', 'third']);
  });

  test('of more than 16,384 characters are written at once', async () => {
    const { output } = await program(`
      for (let n = 0; n < 200; n += 1) logger.info({ text: 'x'.repeat(100) }, 'more');
      process.kill(process.pid, 'SIGKILL');`).ended;
    expect(messages(output).length).toBeGreaterThan(50);
  });
});

describe('human-readable lines', () => {
  const lines = async (format: string) =>
    (
      await startProgram(`
        const logger = service.createLogger({ name: 'mill', level: 'info', format: '${format}' });
        const error = new Error('refused', { cause: Object.assign(new Error('no route'), { code: 'EHOSTUNREACH' }) });
        logger.warn({ port: 7860, place: 'a b', list: [1], error, key: 'sk-AbCdEfGh12345678' }, 'no luck');
        logger.info({}, 'well');`).ended
    ).output.split('\n');

  test('have time, level, message and fields on one line, errors without their stack, and no secrets', async () => {
    const [first = '', second = '', ...more] = await lines('pretty');
    expect(first).toMatch(
      /^\[\d\d:\d\d:\d\d\.\d{3}\] WARN: no luck {2}port=7860 place="a b" list=\[1\] error="refused: no route \(EHOSTUNREACH\)" key="sk-\[hidden\]"$/,
    );
    expect(second).toMatch(/INFO: well$/);
    expect(more).toEqual([]);
  });

  test('are written only to a terminal, unless requested', async () => {
    for (const line of [...(await lines('auto')), ...(await lines('json'))])
      expect(JSON.parse(line)).toMatchObject({ name: 'mill' });
  });
});
