import type { Channel, ChannelModel } from 'amqplib';

const BEAT_MILLISECONDS = 1_000;
/** A loaded node may be late; one that is frozen must be left in time for its callers. */
const MOST_BEATS_MISSED = 4;

/**
 * Asks the node of a connection once a second for an answer, on a channel of its own, and tells when it has given none
 * for five seconds. Heartbeats would take three of their intervals, and short ones would make the broker drop clients
 * that compute. A beat that this process itself is late for is not held against the node.
 */
export class Pulse {
  readonly #model: ChannelModel;
  readonly #onSilence: () => void;
  readonly #timer: NodeJS.Timeout;
  #channel: Channel | null = null;
  #isAsking = false;
  #missed = 0;
  /** While RabbitMQ blocks the connection it answers nothing on it. */
  isPaused = false;

  constructor(model: ChannelModel, onSilence: () => void) {
    this.#model = model;
    this.#onSilence = onSilence;
    this.#timer = setInterval(() => this.#beat(), BEAT_MILLISECONDS);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #beat(): void {
    if (this.isPaused) this.#missed = 0;
    else if (!this.#isAsking) void this.#ask();
    else if ((this.#missed += 1) >= MOST_BEATS_MISSED) {
      this.stop();
      this.#onSilence();
    }
  }

  /** Any answer is a sign of life, a refusal too; a connection that has ended is seen by others. */
  async #ask(): Promise<void> {
    this.#isAsking = true;
    try {
      this.#channel ??= await this.#open();
      await this.#channel.prefetch(0);
    } catch {
      this.#channel = null;
    }
    this.#isAsking = false;
    this.#missed = 0;
  }

  async #open(): Promise<Channel> {
    const channel = await this.#model.createChannel();
    channel.on('error', () => undefined);
    channel.on('close', () => (this.#channel = null));
    return channel;
  }
}
