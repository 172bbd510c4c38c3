import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { controlTopology } from '@millrace/messages';
import type { ControlMessage } from '@millrace/messages';
import { openMessageBus } from '@millrace/messaging';
import type { BusState } from '@millrace/messaging';
import { until } from '@millrace/service/testing';
import { openTestGateway } from './testing/test-gateway';
import type { TestGateway } from './testing/test-gateway';

/** A proxy between the gateway and the broker, with which a test can cut the connection. */
class BrokerProxy {
  readonly #target: URL;
  readonly #sockets = new Set<Socket>();
  #server: Server | null = null;
  #port = 0;
  /** Delay until a new connection reaches the broker. */
  delayMilliseconds = 0;
  /** Drops what the broker sends; the connections are of no use afterwards. */
  isDeaf = false;

  constructor(target: URL) {
    this.#target = target;
  }

  get url(): string {
    const url = new URL(this.#target);
    url.host = `127.0.0.1:${this.#port}`;
    return url.href;
  }

  async open(): Promise<void> {
    const server = createServer((near) => {
      const far = connect(Number(this.#target.port || 5672), this.#target.hostname);
      setTimeout(() => near.pipe(far), this.delayMilliseconds);
      far.on('data', (data) => {
        if (!this.isDeaf) near.write(data);
      });
      for (const [socket, other] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(socket);
        socket.on('error', () => other.destroy());
        socket.on('close', () => {
          this.#sockets.delete(socket);
          other.destroy();
        });
      }
    });
    this.#server = server;
    await new Promise<void>((resolve, reject) =>
      server.once('error', reject).listen(this.#port, '127.0.0.1', resolve),
    );
    this.#port = (server.address() as AddressInfo).port;
  }

  cut(): void {
    this.#server?.close();
    this.cutConnections();
  }

  cutConnections(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

const brokerUrl = process.env['AMQP_URL'];
if (brokerUrl === undefined) throw new Error('AMQP_URL must name a RabbitMQ server for these tests');

const brokerProxy = new BrokerProxy(new URL(brokerUrl));
let gateway: TestGateway;
beforeAll(async () => {
  await brokerProxy.open();
  gateway = await openTestGateway({ brokerUrl: brokerProxy.url, executorBrokerUrl: brokerUrl });
  await gateway.createFlow({ name: 'empty', endpoint_name: 'empty', data: { nodes: [], edges: [] } });
}, 60_000);
afterAll(async () => {
  await gateway.close().finally(() => brokerProxy.cut());
});

const run = (query = '') => gateway.call('POST', `/api/v1/run/empty${query}`, { input_value: 'x' });

const untilState = (state: BusState) => until(() => gateway.bus.state === state, `the broker is ${state}`);

test('runs work over RabbitMQ, whole and streamed', async () => {
  expect(await run()).toMatchObject({ status: 200, json: { outputs: [{ outputs: [] }] } });
  expect((await run('?stream=true')).text).toMatch(/^\{"event": "end", /);
});

test('many concurrent callers each get their own answer', async () => {
  const answers = await Promise.all(
    Array.from({ length: 300 }, (_, index) =>
      gateway.call('POST', '/api/v1/run/empty', { input_value: `${index}`, session_id: `s-${index}` }),
    ),
  );
  answers.forEach((answer, index) =>
    expect(answer.json).toMatchObject({
      session_id: `s-${index}`,
      outputs: [{ inputs: { input_value: `${index}` } }],
    }),
  );
});

test('a reply that is sent after a short connection loss still arrives', async () => {
  gateway.executor.handleJob = async ({ final }) => {
    // Let the confirmation of the job arrive first.
    await pause(100);
    // Longer than the time after which callers get an error when the broker refuses connections.
    brokerProxy.delayMilliseconds = 1_000;
    brokerProxy.cutConnections();
    await untilState('disconnected');
    await untilState('connected');
    await pause(300);
    await final('succeeded', { session_id: 's', outputs: [] });
  };
  const { status, json } = await run();
  brokerProxy.delayMilliseconds = 0;
  expect({ status, json }).toMatchObject({ status: 200, json: { session_id: 's' } });
  gateway.executor.handleJob = null;
});

/** Opens another process that receives control messages. */
async function listen() {
  const topology = controlTopology(gateway.names, 'a-listener');
  const listener = await openMessageBus({ url: brokerUrl, logger: gateway.logger, name: 'listener' });
  await listener.provision(topology);
  const messages: ControlMessage[] = [];
  await listener.consume(
    gateway.names.control('a-listener'),
    { prefetch: 10, noAck: true },
    async ({ body }) => {
      messages.push(JSON.parse(body.toString()) as ControlMessage);
      return 'done';
    },
  );
  return { messages, close: () => listener.close() };
}

test('frames of a stream that were lost with a connection are requested on the next one', async () => {
  const { messages, close } = await listen();
  gateway.executor.handleJob = async ({ job, events, final }) => {
    await events([{ event: 'token', data: { chunk: 'first' } }]);
    await pause(100);
    brokerProxy.cutConnections();
    await untilState('disconnected');
    await untilState('connected');
    await until(() => messages.some((one) => one.kind === 'resend-frames' && one.runId === job.runId));
    await final('succeeded', { session_id: 's', outputs: [] });
  };
  expect((await run('?stream=true')).text).toContain('"event": "end"');
  gateway.executor.handleJob = null;
  await close();
});

test('a job that the broker does not confirm is cancelled, because its caller is asked to try again', async () => {
  const { messages, close } = await listen();
  expect((await run()).status).toBe(200);
  let runId = '';
  gateway.executor.handleJob = async ({ job }) => {
    runId = job.runId;
  };
  brokerProxy.isDeaf = true;
  expect((await run()).status).toBe(503);
  await until(() => messages.some((one) => one.kind === 'cancel' && one.runId === runId));
  gateway.executor.handleJob = null;
  brokerProxy.isDeaf = false;
  brokerProxy.cutConnections();
  await untilState('disconnected');
  await untilState('connected');
  await close();
});

test('a new caller does not notice a short connection loss', async () => {
  await untilState('connected');
  // The handshake has several round trips.
  brokerProxy.delayMilliseconds = 50;
  brokerProxy.cutConnections();
  await untilState('disconnected');
  const answers = await Promise.all([run(), run(), run('?stream=true')]);
  brokerProxy.delayMilliseconds = 0;
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
});

test('an unavailable broker is 503 for waiting and new callers, until it is available again', async () => {
  await untilState('connected');
  gateway.executor.handleJob = async () => {
    // Let the confirmation of the job arrive first.
    await pause(100);
    brokerProxy.cut();
  };
  const waiting = await run();
  expect([waiting.status, waiting.headers.get('x-error-code')]).toEqual([503, 'broker_unavailable']);
  expect(waiting.headers.get('retry-after')).toBe('1');
  expect((await run()).headers.get('x-error-code')).toBe('broker_unavailable');
  gateway.executor.handleJob = null;
  await brokerProxy.open();
  await until(async () => (await run()).status === 200);
});
