import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { TcpProxy } from '@millrace/testing';
import { connect } from 'amqplib';
import { refuse } from './fault-parts.mjs';

/** @import { AlertFault } from './faults.mjs' */
/** @import { WatchedSystem } from './watched-system.mjs' */

/**
 * Faults of callbacks, sources and schedules.
 * @type {readonly AlertFault[]}
 */
export const reportFaults = [
  {
    id: 'callbacks-failing',
    title: 'a receiver of callbacks answers 500',
    alerts: ['MillraceCallbacksOld'],
    async begin(system) {
      const receiver = await startReceiver(500);
      await runWithCallback(system, receiver.url);
      return () => receiver.answer(200);
    },
  },
  {
    id: 'callbacks-refused',
    title: 'a receiver of callbacks answers 410',
    alerts: ['MillraceCallbacksGivenUp'],
    async begin(system) {
      const receiver = await startReceiver(410);
      await runWithCallback(system, receiver.url);
      return () => receiver.answer(200);
    },
  },
  {
    id: 'source-broker-down',
    title: 'the broker of a source refuses connections',
    alerts: ['MillraceQueueSourcesReconnecting'],
    async begin(system) {
      const { broker, close } = await openSource(system, 'alerts-down');
      const end = refuse(broker);
      return () => {
        end();
        return close();
      };
    },
  },
  {
    id: 'source-messages-rejected',
    title: 'a source gets messages that are no JSON',
    alerts: ['MillraceQueueMessagesRejected'],
    async begin(system) {
      const { send, close } = await openSource(system, 'alerts-rejected');
      await send('no JSON');
      return close;
    },
  },
  {
    id: 'schedules-late',
    title: 'PostgreSQL refuses connections for 75 s, while a schedule fires each second',
    alerts: ['MillraceSchedulesMissed'],
    async begin({ proxies, post, flows }) {
      const config = { every_seconds: 1 };
      const schedule = { flow_id: flows.run.id, name: 'alerts', kind: 'schedule', state: 'active', config };
      await post('/api/v1/triggers', schedule);
      await pause(3_000);
      const end = refuse(proxies.database);
      await pause(75_000);
      end();
      return () => undefined;
    },
  },
];

/**
 * Starts a server that answers each request with a status, which `answer` changes. It does not keep the process alive.
 * @param {number} first
 */
async function startReceiver(first) {
  let status = first;
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(status).end());
  });
  server.listen(0, '127.0.0.1').unref();
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${port}/runs`,
    answer: (/** @type {number} */ changed) => void (status = changed),
  };
}

/**
 * Makes a source with a queue behind a proxy of its own. `close` ends the connection of the sender.
 * @param {WatchedSystem} system
 * @param {string} name
 */
async function openSource({ post, flows, services, prefix }, name) {
  const url = new URL(services.urls.broker);
  const queue = `${prefix}${name}`;
  const connection = await connect(services.urls.broker);
  const channel = await connection.createConfirmChannel();
  await channel.assertQueue(queue, { durable: true });
  const proxy = await TcpProxy.listen({ host: url.hostname, port: Number(url.port) || 5672 });
  url.host = `127.0.0.1:${proxy.port}`;
  const variable = name.replaceAll('-', '_').toUpperCase();
  await post('/api/v1/variables/', {
    ...{ name: variable, value: url.href, type: 'Credential', default_fields: [] },
  });
  const config = { connection: variable, queue };
  const trigger = { flow_id: flows.run.id, name, kind: 'rabbitmq', state: 'active', config };
  const status = await post('/api/v1/triggers', trigger);
  if (status !== 201) throw new Error(`the source was answered with ${status}`);
  const giveUpAt = Date.now() + 30_000;
  while ((await channel.checkQueue(queue)).consumerCount === 0) {
    if (Date.now() > giveUpAt) throw new Error('the source does not consume');
    await pause(100);
  }
  return {
    broker: { proxy, url: url.href },
    /** @param {string} text */
    async send(text) {
      channel.sendToQueue(queue, Buffer.from(text));
      await channel.waitForConfirms();
    },
    async close() {
      // The queue stays, since its source would fail without it; it is deleted with the services.
      await connection.close();
      await proxy.close();
    },
  };
}

/**
 * Starts a run whose end is reported to this address.
 * @param {WatchedSystem} system
 * @param {string} url
 */
async function runWithCallback({ post, flows }, url) {
  const value = `whsec_${Buffer.alloc(24, 1).toString('base64')}`;
  // The second call of this is refused, because the variable exists.
  await post('/api/v1/variables/', {
    name: 'CALLBACK_SECRET',
    value,
    type: 'Credential',
    default_fields: [],
  });
  const headers = { 'x-callback-url': url, 'x-callback-secret': 'CALLBACK_SECRET', prefer: 'respond-async' };
  const status = await post(`/api/v1/run/${flows.run.endpoint}`, { input_value: 'hello' }, headers);
  if (status !== 202) throw new Error(`the run with a callback was answered with ${status}`);
}
