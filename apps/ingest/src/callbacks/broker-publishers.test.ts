import type { ExternalBroker } from '@millrace/messaging';
import type { DueCallback } from '@millrace/runs';
import type { BrokerUrls } from '../intake/queues/broker-urls';
import { BrokerPublishers } from './broker-publishers';

/** Opens publishers to brokers that confirm everything, and notes whose connections were opened and closed. */
function openPublishers() {
  const opened: string[] = [];
  const closed: string[] = [];
  const openBroker = async (url: string) => {
    opened.push(url);
    const closedByBroker = new Promise<never>(() => undefined);
    const close = async () => void closed.push(url);
    return { closed: closedByBroker, publish: async () => 'confirmed', close } as unknown as ExternalBroker;
  };
  const urls = { find: async (_userId: string, name: string) => name } as unknown as BrokerUrls;
  const onFailure = jest.fn();
  const publishers = new BrokerPublishers({ urls, openBroker, timeoutMilliseconds: 1_000, onFailure });
  const publish = (connection: string) => {
    const amqp = { connection, exchange: 'reports', routingKey: 'ended' };
    const run = { id: 'run', acceptedAt: new Date(0), finishedAt: new Date(0) };
    const callback = { id: connection, userId: 'user', kind: 'ended', run, amqp, alert: null, budget: null };
    return publishers.publish(callback as unknown as DueCallback, '{}', new AbortController().signal);
  };
  return { publishers, publish, opened, closed, onFailure };
}

test('at most 200 connections are kept, without the one that was not used for longest', async () => {
  const { publishers, publish, opened, closed, onFailure } = openPublishers();
  for (let count = 0; count < 200; count += 1) await publish(`broker-${count}`);
  await publish('broker-0');
  expect([opened.length, closed]).toEqual([200, []]);
  await publish('another');
  expect([opened.length, closed]).toEqual([201, ['broker-1']]);
  await publishers.close();
  expect(closed).toHaveLength(201);
  expect(onFailure).not.toHaveBeenCalled();
});
