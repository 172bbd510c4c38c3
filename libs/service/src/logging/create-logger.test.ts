import { createLogger } from '../index';

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

test('hides secrets by their name, however deep', () => {
  const { lines, logger } = recorder();
  const secrets = {
    authorization: 'a', Cookie: 'b', 'set-cookie': ['c'], 'x-api-key': 'd', apiKey: 'e', OPENAI_API_KEY: 'f',
    password: 'g', clientSecret: 'h', access_token: 'i', token: 'k', MILLRACE_ENCRYPTION_KEY: ['j'],
  }; // prettier-ignore
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

test('a cycle, a huge object and a long text end', () => {
  const { lines, logger } = recorder();
  const cycle: Record<string, unknown> = { text: 'x'.repeat(100_000), buffer: Buffer.alloc(9) };
  cycle['itself'] = cycle;
  cycle['many'] = Array.from({ length: 5000 }, (_, index) => index);
  logger.info(cycle, 'x');
  expect(JSON.stringify(lines[0]).length).toBeLessThan(100_000);
  expect(lines[0]?.['buffer']).toBe('(9 bytes)');
});
