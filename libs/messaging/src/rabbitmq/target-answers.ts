/** A message for a target that does not answer is sent as a test once in this time. */
const TEST_EVERY_MILLISECONDS = 5_000;
/** What was not tried again for so long says nothing about now. */
const FORGET_AFTER_MILLISECONDS = 60_000;
const MAXIMUM_TARGETS = 1_000;

interface Silence {
  readonly exchange: string;
  readonly routingKey: string;
  /** False while its messages are only late. */
  isTimedOut: boolean;
  isRefusing: boolean;
  nextTestAt: number;
  lastAt: number;
}

export interface SilentTarget {
  readonly exchange: string;
  readonly routingKey: string;
  readonly problem: string;
}

/**
 * Which exchange and routing key do not confirm their messages. One queue without a leader, or on a frozen node, would
 * else fill the confirm window that all queues share.
 */
export class TargetAnswers {
  readonly #silences = new Map<string, Silence>();

  /** The usual case, asked for each message. */
  get areAllWell(): boolean {
    return this.#silences.size === 0;
  }

  /** A message is late, or was given up. */
  silent(exchange: string, routingKey: string, isTimedOut: boolean, now: number): void {
    const silence = this.#at(exchange, routingKey, now);
    silence.isTimedOut ||= isTimedOut;
  }

  /** A message was refused: the queue is full or has no leader. It answers at once, so more of them do no harm. */
  refused(exchange: string, routingKey: string, now: number): void {
    this.#at(exchange, routingKey, now).isRefusing = true;
  }

  confirmed(exchange: string, routingKey: string): void {
    if (this.#silences.size > 0) this.#silences.delete(keyOf(exchange, routingKey));
  }

  /** There is a new connection, perhaps to another node. */
  forget(): void {
    this.#silences.clear();
  }

  /** Whether a message that could go elsewhere should. */
  isLate(exchange: string, routingKey: string, now: number): boolean {
    const silence = this.#silences.get(keyOf(exchange, routingKey));
    return silence !== undefined && !silence.isRefusing && !isTestDue(silence, now);
  }

  /** Whether a message must not be sent. */
  isShut(exchange: string, routingKey: string, now: number): boolean {
    const silence = this.#silences.get(keyOf(exchange, routingKey));
    return silence !== undefined && silence.isTimedOut && !silence.isRefusing && !isTestDue(silence, now);
  }

  /** Those whose messages were refused or given up. */
  problems(now: number): SilentTarget[] {
    for (const [key, { lastAt }] of this.#silences)
      if (now - lastAt > FORGET_AFTER_MILLISECONDS) this.#silences.delete(key);
    return [...this.#silences.values()]
      .filter(({ isTimedOut, isRefusing }) => isTimedOut || isRefusing)
      .map(({ exchange, routingKey, isRefusing }) => ({
        exchange,
        routingKey,
        problem: isRefusing ? 'RabbitMQ refuses messages to it' : 'RabbitMQ does not confirm messages to it',
      }));
  }

  #at(exchange: string, routingKey: string, now: number): Silence {
    const key = keyOf(exchange, routingKey);
    let silence = this.#silences.get(key);
    if (!silence) {
      const nextTestAt = now + TEST_EVERY_MILLISECONDS;
      silence = { exchange, routingKey, isTimedOut: false, isRefusing: false, nextTestAt, lastAt: now };
      if (this.#silences.size >= MAXIMUM_TARGETS) this.#silences.clear();
      this.#silences.set(key, silence);
    }
    silence.lastAt = now;
    return silence;
  }
}

function isTestDue(silence: Silence, now: number): boolean {
  if (now < silence.nextTestAt) return false;
  silence.nextTestAt = now + TEST_EVERY_MILLISECONDS;
  return true;
}

function keyOf(exchange: string, routingKey: string): string {
  return `${exchange}\u0000${routingKey}`;
}
