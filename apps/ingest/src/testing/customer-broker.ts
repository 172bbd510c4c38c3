import { randomBytes } from 'node:crypto';
import { connect } from 'amqplib';
import type { ChannelModel, ConfirmChannel, GetMessage, Options } from 'amqplib';

/** A user's broker: the queues and exchanges of one test on the RabbitMQ of the test run. */
export class CustomerBroker {
  readonly url: string;
  /** A prefix of the names of this test. */
  readonly name = `customer_${randomBytes(5).toString('hex')}`;
  readonly #model: ChannelModel;
  readonly #channel: ConfirmChannel;
  readonly #queues: string[] = [];
  readonly #exchanges: string[] = [];

  private constructor(url: string, model: ChannelModel, channel: ConfirmChannel) {
    this.url = url;
    this.#model = model;
    this.#channel = channel;
  }

  static async open(): Promise<CustomerBroker> {
    const url = process.env['AMQP_URL'];
    if (!url) throw new Error('AMQP_URL is not set: this test needs a RabbitMQ server');
    const model = await connect(url);
    return new CustomerBroker(url, model, await model.createConfirmChannel());
  }

  /** Declares a durable queue whose rejected messages go to the queue `<name>.dead`; resolves to its name. */
  async queue(name = 'orders'): Promise<string> {
    const queue = `${this.name}.${name}`;
    await this.#channel.assertQueue(`${queue}.dead`, { durable: true });
    const deadLetters = { deadLetterExchange: '', deadLetterRoutingKey: `${queue}.dead` };
    await this.#channel.assertQueue(queue, { durable: true, ...deadLetters });
    this.#queues.push(queue, `${queue}.dead`);
    return queue;
  }

  /** Declares an exchange and a queue with all its messages; resolves to both names. */
  async exchange(name = 'results'): Promise<{ readonly exchange: string; readonly queue: string }> {
    const exchange = `${this.name}.${name}`;
    await this.#channel.assertExchange(exchange, 'topic', { durable: true });
    await this.#channel.assertQueue(exchange, { durable: true });
    await this.#channel.bindQueue(exchange, exchange, '#');
    this.#exchanges.push(exchange);
    this.#queues.push(exchange);
    return { exchange, queue: exchange };
  }

  /** Resolves when the broker has the message. */
  send(queue: string, body: string | Buffer, options: Options.Publish = {}): Promise<void> {
    return new Promise((resolve, reject) => {
      const content = Buffer.from(body);
      this.#channel.sendToQueue(queue, content, { persistent: true, ...options }, (error: unknown) =>
        error ? reject(error instanceof Error ? error : new Error(String(error))) : resolve(),
      );
    });
  }

  /** Takes the next message of a queue; null when none is ready. */
  async get(queue: string): Promise<GetMessage | null> {
    const message = await this.#channel.get(queue, { noAck: true });
    return message === false ? null : message;
  }

  /** How many messages of a queue are ready, without those that were delivered and are not settled. */
  async ready(queue: string): Promise<number> {
    return (await this.#channel.checkQueue(queue)).messageCount;
  }

  async consumers(queue: string): Promise<number> {
    return (await this.#channel.checkQueue(queue)).consumerCount;
  }

  async deleteQueue(queue: string): Promise<void> {
    await this.#channel.deleteQueue(queue);
  }

  async close(): Promise<void> {
    for (const queue of this.#queues) await this.#channel.deleteQueue(queue);
    for (const exchange of this.#exchanges) await this.#channel.deleteExchange(exchange);
    await this.#model.close();
  }
}
