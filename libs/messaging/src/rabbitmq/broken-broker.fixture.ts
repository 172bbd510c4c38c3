import { connect, type Channel, type ChannelModel } from 'amqplib';
import { randomUUID } from 'node:crypto';
import { recordingLogger, until } from '@millrace/service/testing';
import { TcpProxy } from '@millrace/testing';
import { type MessageBus, type OutgoingMessage, type Topology } from '..';
import { RabbitMqBus, type RabbitMqBusOptions } from './rabbitmq-bus';
import { brokerUrl, removeFromBroker } from './broker.fixture';

/** Goal: maximum time to recover after the broker becomes reachable again. */
export const RECOVERY_MILLISECONDS = 3_000;

interface Received {
  readonly work: string[];
  readonly replies: string[];
}

interface Parts {
  readonly proxy: TcpProxy;
  readonly bus: RabbitMqBus;
  readonly administration: ChannelModel;
  readonly administrator: Channel;
}

/** A bus behind a proxy that injects faults, with a work queue, a reply queue and a fanout exchange. */
export class BrokenBrokerFixture {
  #parts: Parts | undefined;
  logger = recordingLogger();
  work = '';
  replies = '';
  exchange = '';

  get proxy(): TcpProxy {
    return this.#begun.proxy;
  }

  get bus(): RabbitMqBus {
    return this.#begun.bus;
  }

  /** A channel that bypasses the proxy. */
  get administrator(): Channel {
    return this.#begun.administrator;
  }

  get topology(): Topology {
    return {
      exchanges: [{ name: this.exchange, kind: 'fanout' }],
      queues: [
        { name: this.work, kind: 'classic' },
        { name: this.replies, kind: 'classic', exclusive: true },
      ],
      bindings: [{ exchange: this.exchange, queue: this.replies, routingKey: '' }],
    };
  }

  async begin(): Promise<void> {
    const prefix = `test-${randomUUID()}.`;
    this.work = `${prefix}work`;
    this.replies = `${prefix}replies`;
    this.exchange = `${prefix}exchange`;
    this.logger = recordingLogger();
    const { hostname, port } = new URL(brokerUrl());
    const proxy = await TcpProxy.listen({ host: hostname, port: Number(port || 5672) });
    const administration = await connect(brokerUrl());
    const administrator = await administration.createChannel();
    const bus = await this.openBus({}, proxy);
    this.#parts = { proxy, bus, administration, administrator };
    await bus.provision(this.topology);
  }

  async end(): Promise<void> {
    const { proxy, bus, administration } = this.#begun;
    proxy.clear();
    await bus.close();
    await administration.close();
    await removeFromBroker(this.topology);
    await proxy.close();
  }

  /** Returns the broker's address through a proxy. */
  addressOf(proxy = this.proxy): string {
    const address = new URL(brokerUrl());
    address.host = `127.0.0.1:${proxy.port}`;
    return address.href;
  }

  /** Opens another proxy to the same broker; the test closes it. */
  openProxy(): Promise<TcpProxy> {
    const { hostname, port } = new URL(brokerUrl());
    return TcpProxy.listen({ host: hostname, port: Number(port || 5672) });
  }

  /** Opens another bus behind the proxy; the test closes it. */
  openBus(options: Partial<RabbitMqBusOptions> = {}, proxy = this.proxy): Promise<RabbitMqBus> {
    const { logger } = this;
    return RabbitMqBus.connect({
      url: this.addressOf(proxy),
      logger,
      connectionName: 'fault test',
      ...options,
    });
  }

  /** Collects the texts of all deliveries. */
  async collect(queue: string, options: { readonly noAck?: boolean } = {}) {
    const texts: string[] = [];
    const consumer = await this.bus.consume(queue, { prefetch: 10, ...options }, async ({ body }) => {
      texts.push(body.toString());
      return 'done';
    });
    return { texts, consumer };
  }

  async collectBoth(): Promise<Received> {
    const ofWork = await this.collect(this.work);
    const ofReplies = await this.collect(this.replies, { noAck: true });
    return { work: ofWork.texts, replies: ofReplies.texts };
  }

  /** Expects messages to be published and delivered: over the work queue, the reply queue and the fanout exchange. */
  async expectRecovery(received: Received): Promise<void> {
    const mark = randomUUID();
    const { work, replies, exchange } = this;
    await this.#expectArrival(messageTo(work, `work ${mark}`), received.work);
    await this.#expectArrival(messageTo(replies, `reply ${mark}`), received.replies);
    await this.#expectArrival({ ...messageTo('', `control ${mark}`), exchange }, received.replies);
    expect(this.bus.state).toBe('connected');
  }

  async #expectArrival(message: OutgoingMessage, received: readonly string[]): Promise<void> {
    const text = message.body.toString();
    await until(() => isPublished(this.bus, message), `publishing ${text}`, RECOVERY_MILLISECONDS);
    await until(() => received.includes(text), `receiving ${text}`, RECOVERY_MILLISECONDS);
  }

  get #begun(): Parts {
    if (!this.#parts) throw new Error('begin() must be called first');
    return this.#parts;
  }
}

export function messageTo(queue: string, text = 'hello'): OutgoingMessage {
  return { exchange: '', routingKey: queue, body: Buffer.from(text), persistent: true, mandatory: true };
}

export function isPublished(bus: MessageBus, message: OutgoingMessage): Promise<boolean> {
  return bus.publish(message).then(
    () => true,
    () => false,
  );
}

/** Returns an AMQP method as a frame. */
export function methodFrame(
  channel: number,
  [group, method]: readonly [number, number],
  fields: Buffer,
): Buffer {
  const payload = Buffer.alloc(4 + fields.length);
  payload.writeUInt16BE(group, 0);
  payload.writeUInt16BE(method, 2);
  fields.copy(payload, 4);
  const header = Buffer.alloc(7);
  header.writeUInt8(1, 0);
  header.writeUInt16BE(channel, 1);
  header.writeUInt32BE(payload.length, 3);
  return Buffer.concat([header, payload, Buffer.from([0xce])]);
}
