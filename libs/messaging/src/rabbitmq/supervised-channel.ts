import type { Logger } from '@millrace/service';
import type { Channel, ChannelModel } from 'amqplib';
import { backoffMilliseconds } from '../backoff';
import { BusUnavailableError } from '../message-bus-errors';
import { settleWithin } from '../settle-within';

const ANSWER_TIMEOUT_MILLISECONDS = 5_000;
const LONGEST_REOPEN_DELAY_MILLISECONDS = 5_000;

export interface ChannelPlan<C extends Channel> {
  /** For the log. */
  readonly name: string;
  readonly create: (model: ChannelModel) => Promise<C>;
  /** Sets up what the channel is for; `isReopening` after the first time. */
  readonly prepare: (channel: C, isReopening: boolean) => Promise<void>;
  /** The channel is gone; the error says why when the broker closed it. */
  readonly lost: (channel: C, error: Error | undefined) => void;
}

/** A channel that is opened again when the broker closes it, as long as its connection stands. */
export class SupervisedChannel<C extends Channel> {
  readonly #plan: ChannelPlan<C>;
  readonly #logger: Logger;
  #model: ChannelModel | null = null;
  #current: C | null = null;
  #wasOpen = false;
  #failures = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(plan: ChannelPlan<C>, logger: Logger) {
    this.#plan = plan;
    this.#logger = logger.child({ channel: plan.name });
  }

  /** Null while it is not open and prepared. */
  get current(): C | null {
    return this.#current;
  }

  /** Opens the channel on a new connection. After a rejection it goes on trying until `detach`. */
  async attach(model: ChannelModel): Promise<void> {
    this.detach();
    this.#model = model;
    await this.#open(model);
  }

  /** The connection is gone, or the channel is not wanted any more: no more tries. */
  detach(): void {
    clearTimeout(this.#timer);
    this.#model = null;
    this.#current = null;
    this.#failures = 0;
  }

  /** Gives this channel up for a new one. */
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
    const { name, create, prepare } = this.#plan;
    const channel = await openWithin(create(model), `opening ${name}`);
    this.#watch(channel, model);
    try {
      const preparing = prepare(channel, this.#wasOpen);
      await settleWithin(preparing, ANSWER_TIMEOUT_MILLISECONDS, `preparing ${name}`);
      if (this.#model !== model) throw new BusUnavailableError(`${name} is not wanted any more`);
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
      this.#plan.lost(channel, failure);
      if (this.#current !== channel) return;
      this.#current = null;
      if (this.#model !== model) return;
      if (failure) this.#logger.warn({ error: failure }, 'RabbitMQ closed a channel; opening it again');
      this.#openLater(model);
    });
  }

  #openLater(model: ChannelModel): void {
    const delay = backoffMilliseconds(this.#failures, LONGEST_REOPEN_DELAY_MILLISECONDS);
    this.#failures += 1;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (this.#model !== model) return;
      this.#open(model).catch((error: unknown) => {
        if (this.#model === model) this.#logger.warn({ error }, 'could not open a channel; will try again');
      });
    }, delay);
  }
}

/** A channel that opens too late is closed, not leaked. */
async function openWithin<C extends Channel>(opening: Promise<C>, action: string): Promise<C> {
  try {
    return await settleWithin(opening, ANSWER_TIMEOUT_MILLISECONDS, action);
  } catch (error) {
    opening.then(closeQuietly, () => undefined);
    throw error;
  }
}

/** Closed already is as good. */
function closeQuietly(channel: Channel): void {
  channel.on('error', () => undefined);
  channel.close().catch(() => undefined);
}
