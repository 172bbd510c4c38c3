import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLogger, createMetrics } from '@millrace/service';
import type { AccessLogRule } from '@millrace/service';
import { until } from '@millrace/service/testing';
import { factsOf, RequestObserver } from '../index';

type Line = Readonly<Record<string, unknown>>;
const ALL: AccessLogRule = { errors: true, share: 1 };
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** Starts a server that answers `/status/<status>`, and never answers `/hang`. */
async function start(accessLog: AccessLogRule) {
  const lines: Line[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line) as Line) };
  const metrics = createMetrics();
  const logger = createLogger({ name: 'test', level: 'info', destination });
  const observer = new RequestObserver({
    logger,
    metrics,
    accessLog,
    expected: { routes: ['/expected'], statuses: ['200', '503'] },
  });
  let hanging = 0;
  const server = createServer((request, response) => {
    observer.observe(request, response);
    const id = request.headers['x-request-id'];
    if (id !== undefined) response.setHeader('x-request-id', id);
    const { url = '' } = request;
    if (url === '/hang') return void (hanging += 1);
    if (url.startsWith('/status/'))
      Object.assign(factsOf(request), { route: '/status/:status', userId: 'user-1', flowId: 'flow-1' });
    request.resume().on('end', () => {
      response.writeHead(Number(url.slice(8, 11)) || 200, { 'x-run-id': 'run-1' }).end('x'.repeat(100));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await metrics.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const ask = async (path: string, init?: RequestInit) => (await fetch(url + path, init)).text();
  return { lines, ask, url, metrics, isHanging: () => hanging > 0 };
}

test('a request has one line with its ids, route, status, duration and bytes', async () => {
  const { lines, ask } = await start(ALL);
  const body = 'y'.repeat(5_000);
  await ask('/status/201?x-api-key=sk-key-in-the-query', {
    method: 'POST',
    body,
    headers: { 'x-request-id': 'request-1' },
  });
  await until(() => lines.length === 1, 'the request has no line');
  expect(lines).toEqual([
    {
      name: 'test',
      level: 'info',
      time: expect.any(String),
      msg: 'request answered',
      requestId: 'request-1',
      runId: 'run-1',
      userId: 'user-1',
      flowId: 'flow-1',
      method: 'POST',
      route: '/status/:status',
      status: 201,
      milliseconds: expect.any(Number),
      bytesIn: expect.any(Number),
      bytesOut: expect.any(Number),
    },
  ]);
  const { bytesIn, bytesOut } = lines[0] as { bytesIn: number; bytesOut: number };
  expect(bytesIn).toBeGreaterThan(5_000);
  expect(bytesIn).toBeLessThan(6_000);
  expect(bytesOut).toBeGreaterThan(100);
  expect(bytesOut).toBeLessThan(1_000);
});

test('requests on one connection have their own bytes', async () => {
  const { lines, ask } = await start(ALL);
  for (const size of [10, 3_000, 10]) await ask('/status/200', { method: 'POST', body: 'y'.repeat(size) });
  await until(() => lines.length === 3, 'the requests have no lines');
  const [first = 0, second = 0, third = 0] = lines.map(({ bytesIn }) => Number(bytesIn));
  expect(second - first).toBeGreaterThan(2_900);
  expect(third).toBeLessThan(second - 2_900);
});

test.each([
  ['off', { errors: false, share: 0 }, []],
  ['errors', { errors: true, share: 0 }, [404, 500]],
  ['all', ALL, [200, 404, 500]],
])('with %s, only some requests have a line', async (_name, rule, statuses) => {
  const { lines, ask, metrics } = await start(rule);
  for (const status of [200, 404, 500]) await ask(`/status/${status}`);
  await until(
    async () => (await metrics.prometheusText()).includes('status="500"} 1'),
    'the requests were not counted',
  );
  expect(lines.map(({ status }) => status)).toEqual(statuses);
});

test('a share selects requests by their id, equally in each process', async () => {
  const one = await start({ errors: true, share: 0.5 });
  const other = await start({ errors: true, share: 0.5 });
  for (let index = 0; index < 100; index += 1)
    for (const { ask } of [one, other])
      await ask('/status/200', { headers: { 'x-request-id': `request-${index}` } });
  await until(() => other.lines.length === one.lines.length, 'lines are missing');
  expect(one.lines.length).toBeGreaterThan(20);
  expect(one.lines.length).toBeLessThan(80);
  const idsOf = ({ lines }: typeof one) => lines.map(({ requestId }) => requestId);
  expect(idsOf(one)).toEqual(idsOf(other));
});

test('a request whose caller disconnects has status 499', async () => {
  const { lines, url, isHanging } = await start(ALL);
  const abort = new AbortController();
  const asked = fetch(`${url}/hang`, { signal: abort.signal });
  await until(isHanging, 'the request did not arrive');
  abort.abort();
  await expect(asked).rejects.toThrow();
  await until(() => lines.length === 1, 'the request has no line');
  expect(lines[0]).toMatchObject({ status: 499, aborted: true, route: 'unmatched' });
});

test('probes have no line, other unknown paths do', async () => {
  const { lines, ask } = await start(ALL);
  for (const path of ['/healthz', '/metrics', '/elsewhere']) await ask(path);
  await until(() => lines.length > 0, 'the request has no line');
  expect(lines).toMatchObject([{ route: 'unmatched' }]);
});

test('requests are counted and measured by method, route and status', async () => {
  const { lines, ask, metrics } = await start(ALL);
  for (const status of [200, 200, 404]) await ask(`/status/${status}`);
  await until(() => lines.length === 3, 'lines are missing');
  const text = (await metrics.prometheusText()).split('\n');
  const labels = 'method="GET",route="/status/:status"';
  for (const line of [
    'millrace_http_requests_total{method="POST",route="/expected",status="503"} 0',
    `millrace_http_requests_total{${labels},status="200"} 2`,
    `millrace_http_requests_total{${labels},status="404"} 1`,
    `millrace_http_request_duration_seconds_count{${labels}} 3`,
  ])
    expect(text).toContain(line);
});
