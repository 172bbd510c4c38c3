/** A message on its way to an exchange (the default exchange, '', routes by queue name). */
export interface OutgoingMessage {
  readonly exchange: string;
  readonly routingKey: string;
  readonly body: Buffer;
  /** Survives a broker restart when its queue is durable. */
  readonly persistent: boolean;
  /** Reject with UnroutableError when no queue takes it. */
  readonly mandatory: boolean;
  /** Used instead where no queue takes the first routing key (`mandatory` messages), or its queue does not answer. */
  readonly alternativeRoutingKey?: string;
  readonly messageId?: string;
  readonly correlationId?: string;
  readonly replyTo?: string;
  readonly type?: string;
  /** Dropped (or dead-lettered) when it waits longer than this. */
  readonly expirationMilliseconds?: number;
  readonly headers?: Readonly<Record<string, string | number | boolean>>;
}

export interface Delivery {
  readonly body: Buffer;
  readonly exchange: string;
  readonly routingKey: string;
  readonly messageId: string | undefined;
  readonly correlationId: string | undefined;
  readonly replyTo: string | undefined;
  readonly type: string | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  /** True when this is not the first delivery of the message. */
  readonly redelivered: boolean;
}

/** What becomes of a delivery: settled, given back to the queue, or dropped (dead-lettered where the queue says so). */
export type Verdict = 'done' | 'retry' | 'discard';

/** Resolves to the verdict. A rejection is logged and counts as 'retry', after a short pause. */
export type DeliveryHandler = (delivery: Delivery) => Promise<Verdict>;

export interface ConsumeOptions {
  /** How many deliveries may be unsettled at a time. */
  readonly prefetch: number;
  /** No settling: the message is gone when it is sent. For reply and control queues. */
  readonly noAck?: boolean;
}

/** A running subscription; it survives broken connections. */
export interface Consumer {
  /** Stops taking deliveries and waits for the handlers in hand, at most this long; the rest goes back to the queue. */
  close(options?: { readonly deadlineMilliseconds?: number }): Promise<void>;
}

export interface QueueStatus {
  /** Ready to be delivered; unsettled ones are not counted. */
  readonly messages: number;
  readonly consumers: number;
}

/** What this process can do with one queue that other processes share. */
export interface QueueState {
  readonly queue: string;
  /** Whether deliveries can come; null when this process does not consume from it. */
  readonly isConsuming: boolean | null;
  /** Why messages do not come from it, or are not taken by it; null when all is well. */
  readonly problem: string | null;
}

export interface ExchangeDefinition {
  readonly name: string;
  readonly kind: 'direct' | 'fanout';
}

export interface QueueDefinition {
  readonly name: string;
  readonly kind: 'classic' | 'quorum';
  /** Belongs to this connection and goes with it; declared again, with its bindings, after a reconnect. */
  readonly exclusive?: boolean;
  /** Quorum queues only: the message is dead-lettered when it comes back once more than this. */
  readonly deliveryLimit?: number;
  readonly maximumLength?: number;
  /** When full: refuse new messages, or drop the oldest (what a broker does when nothing is said). */
  readonly overflow?: 'reject-publish' | 'drop-head';
  readonly messageTtlMilliseconds?: number;
  readonly deadLetterExchange?: string;
  readonly deadLetterRoutingKey?: string;
  readonly deadLetterStrategy?: 'at-least-once' | 'at-most-once';
  /** Its messages are published again when they are missed: it is deleted and declared anew when it stays unusable. */
  readonly isRenewable?: boolean;
}

export interface BindingDefinition {
  readonly exchange: string;
  readonly queue: string;
  readonly routingKey: string;
}

/** Everything that must exist on the broker, as data. */
export interface Topology {
  readonly exchanges: readonly ExchangeDefinition[];
  readonly queues: readonly QueueDefinition[];
  readonly bindings: readonly BindingDefinition[];
}

/** `disconnected` is where a lost connection begins; `unreachable` follows when a try to connect again has failed. */
export type BusState = 'connected' | 'blocked' | 'disconnected' | 'unreachable' | 'closed';

/**
 * A broker. Errors: UnroutableError, RefusedError (the queue is full, or the body is over 16 MiB), UnconfirmedError (no
 * answer in time: the message may or may not be there), BusUnavailableError (not connected, blocked, or no room in
 * time: not sent).
 */
export interface MessageBus {
  readonly state: BusState;
  /**
   * Declares what is missing, and again after each reconnect and whenever it is missing later. Idempotent.
   * TopologyMismatchError names what exists with other properties; the rest is declared all the same.
   */
  provision(topology: Topology): Promise<void>;
  /** Resolves when the broker has taken responsibility. Waits for room in the confirm window, with a deadline. */
  publish(message: OutgoingMessage): Promise<void>;
  /**
   * Resolves when deliveries can come, or when a queue that was provisioned here cannot be used now: then the bus goes
   * on trying, and `queueStates` says so. QueueMissingError when there is no such queue and it was not provisioned.
   */
  consume(queue: string, options: ConsumeOptions, handler: DeliveryHandler): Promise<Consumer>;
  /** Null when there is no such queue. */
  queueStatus(queue: string): Promise<QueueStatus | null>;
  /** Every shared queue that this process consumes from, and those that do not take its messages. */
  queueStates(): readonly QueueState[];
  /** Called on every change of state; returns the function that ends it. */
  onStateChange(listener: (state: BusState) => void): () => void;
  /** Stops taking work, lets confirms arrive, disconnects. Twice is fine. */
  close(): Promise<void>;
}
