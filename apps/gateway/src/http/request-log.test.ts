import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { factsOf, HttpError } from '@millrace/http';
import { createLogger, createMetrics } from '@millrace/service';
import { answerError } from './answers/answer-error';
import { RequestLog } from './request-log';

type Line = Readonly<Record<string, unknown>>;

function opened() {
  const lines: Line[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line) as Line) };
  const metrics = createMetrics();
  const log = new RequestLog({
    logger: createLogger({ name: 'test', level: 'info', destination }),
    metrics,
  });
  const respond = (url = '/api/v1/run/a?x-api-key=sk-key-in-the-query', userId: string | null = null) => {
    const request = Object.assign(new IncomingMessage(new Socket()), { method: 'POST', url });
    factsOf(request).userId = userId;
    return new ServerResponse(request).setHeader('x-request-id', 'request-1');
  };
  return { lines, log, respond, metrics };
}

test('an unexpected error is logged with its stack and without the key of the query', () => {
  const { lines, log, respond } = opened();
  answerError(respond(), new TypeError('x is undefined'), log);
  expect(lines).toMatchObject([
    {
      level: 'error',
      msg: 'request refused',
      requestId: 'request-1',
      method: 'POST',
      path: '/api/v1/run/a',
      status: 500,
      code: 'internal',
      error: { message: 'x is undefined', stack: expect.any(String) },
    },
  ]);
  expect(JSON.stringify(lines)).not.toContain('key-in-the-query');
});

test.each([
  [
    'of the caller',
    new HttpError('flow_unknown', 'Flow identifier a not found'),
    'info',
    'Flow identifier a not found',
  ],
  [
    'of the server',
    new HttpError('no_executor', 'No executor.', { cause: new Error('empty') }),
    'warn',
    'No executor.',
  ],
  ['of an earlier run', new HttpError('component_failed', 'It broke.'), 'info', 'It broke.'],
  [
    'with a list of items',
    new HttpError('invalid_request', [{ loc: ['body', 'a'], msg: 'Field required', input: 'secret' }]),
    'info',
    'body.a: Field required',
  ],
  [
    'with an object',
    new HttpError('not_found', { error: 'x', message: 'Job 1 not found' }),
    'info',
    'Job 1 not found',
  ],
  ['without a text', new HttpError('not_found', [{ loc: ['query'] }]), 'info', 'query: '],
  ['with a list of texts', new HttpError('not_found', ['secret']), 'info', ''],
  ['without a detail', new HttpError('not_found', null), 'info', ''],
])('an error %s is logged at its level, without the input', (_what, error, level, reason) => {
  const { lines, log, respond } = opened();
  log.logRefusal(respond('/a', 'user-1'), error);
  const { code, status } = error;
  expect(lines).toMatchObject([{ level, code, status, reason, userId: 'user-1', requestId: 'request-1' }]);
  expect(JSON.stringify(lines)).not.toContain('secret');
});

test('a line has the first 500 characters of a long path', () => {
  const { lines, log, respond } = opened();
  for (const length of [500, 501])
    log.logRefusal(respond('/'.padEnd(length, 'a')), new HttpError('not_found', ''));
  const path = '/'.padEnd(500, 'a');
  expect(lines).toMatchObject([{ path }, { path: `${path}…` }]);
});

test('a request whose run is logged has no separate line, but is counted', async () => {
  const { lines, log, respond, metrics } = opened();
  const response = respond();
  log.suppress(response);
  log.logRefusal(response, new HttpError('component_failed', 'It broke.'));
  expect(lines).toEqual([]);
  expect(await metrics.prometheusText()).toContain(
    'millrace_requests_refused_total{code="component_failed"} 1',
  );
});

test('a flood of refused requests leaves only some lines, even when all paths differ', () => {
  const { lines, log, respond } = opened();
  for (let index = 0; index < 1_000; index += 1)
    log.logRefusal(respond(`/${index}`), new HttpError('route_unknown', 'Not Found'));
  log.close();
  expect(lines.length).toBeLessThan(500);
  const suppressed = lines.find(({ suppressed: count }) => count !== undefined)?.['suppressed'];
  expect(Number(suppressed)).toBeGreaterThan(500);
});
