import { Agent, request as send } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { recordingLogger } from '@millrace/service/testing';
import { openTestGateway, TEST_KEY } from './testing/test-gateway';

test('closing waits for a run in flight, closes keep-alive connections, and accepts no new ones', async () => {
  // A close that waits for the idle connection exceeds the deadline of this test.
  const gateway = await openTestGateway({ environment: { MILLRACE_SHUTDOWN_SECONDS: '3600' } });
  await gateway.createFlow({ name: 'slow', endpoint_name: 'slow', data: { nodes: [], edges: [] } });
  let started = false;
  let endRun: () => void = () => undefined;
  const mayEnd = new Promise<void>((resolve) => {
    endRun = resolve;
  });
  gateway.executor.handleJob = async ({ final }) => {
    started = true;
    await mayEnd;
    await final('succeeded', { session_id: 's', outputs: [] });
  };
  const agent = new Agent({ keepAlive: true });
  const answer = new Promise<{ status: number | undefined; connection: string | undefined }>(
    (resolve, reject) => {
      const headers = { 'x-api-key': TEST_KEY };
      send(`${gateway.url}/api/v1/run/slow`, { method: 'POST', agent, headers }, (response) => {
        response.resume().on('end', () => {
          resolve({ status: response.statusCode, connection: response.headers.connection });
        });
      })
        .on('error', reject)
        .end('{}');
    },
  );
  while (!started) await pause(10);
  const closed = gateway.gateway.close();
  // An open connection is served once more. New connections are refused.
  const refused = new Promise<string>((resolve) => {
    connect(gateway.port, '127.0.0.1')
      .on('error', ({ message }) => resolve(message))
      .on('connect', () => resolve('connected'));
  });
  expect(await refused).toContain('ECONNREFUSED');
  // The pause is for a close that does not wait: it ends within it.
  expect(await Promise.race([closed.then(() => 'closed'), pause(100, 'waits')])).toBe('waits');
  endRun();
  expect((await answer).status).toBe(200);
  await closed;
  agent.destroy();
  await gateway.close();
}, 60_000);

test('a draining gateway reports not ready, and closes the connection after each answer', async () => {
  const gateway = await openTestGateway();
  const ask = async (path: string) => {
    const { status, headers } = await fetch(`${gateway.url}${path}`);
    return [status, headers.get('connection')];
  };
  expect(await ask('/healthz')).toEqual([200, 'keep-alive']);
  const drained = gateway.health.drain(300);
  expect([await ask('/readyz'), await ask('/healthz')]).toEqual([
    [503, 'close'],
    [200, 'close'],
  ]);
  await drained;
  await gateway.close();
}, 60_000);

test('the caller of a run that exceeds the shutdown deadline gets shutting_down', async () => {
  const logger = recordingLogger();
  const gateway = await openTestGateway({ environment: { MILLRACE_SHUTDOWN_SECONDS: '1' }, logger });
  await gateway.createFlow({ name: 'slow', endpoint_name: 'slow', data: { nodes: [], edges: [] } });
  let started = false;
  gateway.executor.handleJob = async () => {
    started = true;
  };
  const answer = gateway.call('POST', '/api/v1/run/slow', {});
  while (!started) await pause(10);
  await gateway.gateway.close();
  expect((await answer).headers.get('x-error-code')).toBe('shutting_down');
  const reached = logger.fieldsOf('shutdown deadline reached; requests in flight are ended');
  expect(reached).toEqual([{ error: expect.any(Error), waiting: 1 }]);
  await gateway.close();
}, 60_000);

test('a connection without a request does not delay the shutdown', async () => {
  // A close that waits for the connection exceeds the deadline of this test.
  const gateway = await openTestGateway({ environment: { MILLRACE_SHUTDOWN_SECONDS: '3600' } });
  const socket = connect(gateway.port, '127.0.0.1').on('error', () => undefined);
  await new Promise<void>((resolve) => socket.once('connect', () => resolve()));
  await gateway.gateway.close();
  await gateway.close();
}, 60_000);

test('a sender with a slow header is disconnected', async () => {
  const gateway = await openTestGateway();
  const socket = connect(gateway.port, '127.0.0.1');
  let received = '';
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()));
  socket.on('error', () => undefined).on('data', (bytes) => (received += bytes.toString()));
  const sendSlowly = setInterval(() => socket.write('x'), 500);
  socket.write('POST /api/v1/run/x HTTP/1.1\r\nhost: a\r\nx-slow: ');
  await closed;
  clearInterval(sendSlowly);
  expect(received).toContain('408');
  await gateway.close();
}, 60_000);
