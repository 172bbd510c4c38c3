import { backoff } from '@millrace/service';
import type { Logger } from '@millrace/service';
import type { Channel, ChannelModel } from 'amqplib';
import { BusUnavailableError } from '../message-bus-errors';
import { settleWithin } from '../settle-within';

const ANSWER_TIMEOUT_MILLISECONDS = 5_000;
const MAXIMUM_REOPEN_DELAY_MILLISECONDS = 5_000;

export interface ChannelDefinition<C extends Channel> {
  /** Name in the log. */
  readonly name: string;
  readonly create: (model: ChannelModel) => Promise<C>;
  /** Sets the channel up; `isReopening` is true after the first time. */
  readonly prepare: (channel: C, isReopening: boolean) => Promise<void>;
  /** Called when the channel is closed, with the error if the broker closed it. */
  readonly lost: (channel: C, error: Error | undefined) => void;
}

/** A channel that is reopened when the broker closes it, for as long as its connection is open. */
export class SupervisedChannel<C extends Channel> {
  readonly #definition: ChannelDefinition<C>;
  readonly #logger: Logger;
  #model: ChannelModel | null = null;
  #current: C | null = null;
  #wasOpen = false;
  #failures = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(definition: ChannelDefinition<C>, logger: Logger) {
    this.#definition = definition;
    this.#logger = logger.child({ channel: definition.name });
  }

  /** Null until the channel is open and prepared. */
  get current(): C | null {
    return this.#current;
  }

  /** Opens the channel on a new connection. After a rejection it keeps trying until `detach`. */
  async attach(model: ChannelModel): Promise<void> {
    this.detach();
    this.#model = model;
    await this.#open(model);
  }

  /** Stops all tries, because the connection is lost or the channel is no longer needed. */
  detach(): void {
    clearTimeout(this.#timer);
    this.#model = null;
    this.#current = null;
    this.#failures = 0;
  }

  /** Closes the channel. A new one is then opened, as when the broker has closed it. */
  replace(): void {
    this.#current?.close().catch(() => undefined);
  }

  async #open(model: ChannelModel): Promise<void> {
    try {
      const channel = await this.#openAndPrepare(model);
      this.#current = channel;
      this.#wasOpen = true;
      this.#failures = 0;
    } catch (error) {
      if (this.#model === model) this.#openLater(model);
      throw error;
    }
  }

  async #openAndPrepare(model: ChannelModel): Promise<C> {
    const { name, create, prepare } = this.#definition;
    const channel = await openWithin(create(model), `opening ${name}`);
    this.#watch(channel, model);
    try {
      const preparing = prepare(channel, this.#wasOpen);
      await settleWithin(preparing, ANSWER_TIMEOUT_MILLISECONDS, `preparing ${name}`);
      if (this.#model !== model) throw new BusUnavailableError(`${name} is no longer needed`);
      return channel;
    } catch (error) {
      closeQuietly(channel);
      throw error;
    }
  }

  #watch(channel: C, model: ChannelModel): void {
    let failure: Error | undefined;
    channel.on('error', (error) => (failure = error));
    channel.on('handler-error', (error) => this.#logger.error({ error }, 'a listener on a channel failed'));
    channel.on('close', () => {
      this.#definition.lost(channel, failure);
      if (this.#current !== channel) return;
      this.#current = null;
      if (this.#model !== model) return;
      if (failure) this.#logger.warn({ error: failure }, 'RabbitMQ closed a channel; reopening it');
      this.#openLater(model);
    });
  }

  #openLater(model: ChannelModel): void {
    const delay = backoff({
      initialMilliseconds: 100,
      maximumMilliseconds: MAXIMUM_REOPEN_DELAY_MILLISECONDS,
      attempt: this.#failures,
    });
    this.#failures += 1;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (this.#model !== model) return;
      this.#open(model).catch((error: unknown) => {
        if (this.#model === model) this.#logger.warn({ error }, 'could not open a channel; will retry');
      });
    }, delay);
  }
}

/** Waits for a channel; one that opens too late is closed, not leaked. */
async function openWithin<C extends Channel>(opening: Promise<C>, action: string): Promise<C> {
  try {
    return await settleWithin(opening, ANSWER_TIMEOUT_MILLISECONDS, action);
  } catch (error) {
    opening.then(closeQuietly, () => undefined);
    throw error;
  }
}

/** Ignores a channel that is closed already. */
function closeQuietly(channel: Channel): void {
  channel.on('error', () => undefined);
  channel.close().catch(() => undefined);
}
