import type { Channel, ChannelModel } from 'amqplib';

const PROBE_INTERVAL_MILLISECONDS = 1_000;
/** Tolerates a loaded node, but detects a frozen node early enough for waiting callers. */
const MAXIMUM_MISSED_PROBES = 4;

/**
 * Sends a request to the node once a second, on a separate channel, and calls `onSilence` when it has not answered for
 * five seconds. Heartbeats would need three of their intervals, and short ones would make the broker drop clients that
 * are busy. A probe for which this process itself is late does not count against the node.
 */
export class LivenessProbe {
  readonly #model: ChannelModel;
  readonly #onSilence: () => void;
  readonly #timer: NodeJS.Timeout;
  #channel: Channel | null = null;
  #isProbing = false;
  #missed = 0;
  /** Set while RabbitMQ blocks the connection, because it then answers nothing on it. */
  isPaused = false;

  constructor(model: ChannelModel, onSilence: () => void) {
    this.#model = model;
    this.#onSilence = onSilence;
    this.#timer = setInterval(() => this.#tick(), PROBE_INTERVAL_MILLISECONDS);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #tick(): void {
    if (this.isPaused) this.#missed = 0;
    else if (!this.#isProbing) void this.#probe();
    else if ((this.#missed += 1) >= MAXIMUM_MISSED_PROBES) {
      this.stop();
      this.#onSilence();
    }
  }

  /** Any answer counts, including a refusal; a closed connection is detected elsewhere. */
  async #probe(): Promise<void> {
    this.#isProbing = true;
    try {
      this.#channel ??= await this.#open();
      await this.#channel.prefetch(0);
    } catch {
      this.#channel = null;
    }
    this.#isProbing = false;
    this.#missed = 0;
  }

  async #open(): Promise<Channel> {
    const channel = await this.#model.createChannel();
    channel.on('error', () => undefined);
    channel.on('close', () => (this.#channel = null));
    return channel;
  }
}
