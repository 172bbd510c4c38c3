/** A message to publish to an exchange (the default exchange, '', routes by queue name). */
export interface OutgoingMessage {
  readonly exchange: string;
  readonly routingKey: string;
  readonly body: Buffer;
  /** Survives a broker restart when its queue is durable. */
  readonly persistent: boolean;
  /** The publish rejects with UnroutableError when no queue takes the message. */
  readonly mandatory: boolean;
  /** Used when no queue takes the routing key (`mandatory` messages), or when its queue does not confirm. */
  readonly alternativeRoutingKey?: string | undefined;
  readonly messageId?: string;
  readonly correlationId?: string | undefined;
  readonly replyTo?: string | undefined;
  readonly type?: string;
  /** The message is dropped (or dead-lettered) when it waits longer than this. */
  readonly expirationMilliseconds?: number | undefined;
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

/** Outcome of a delivery: acknowledged, returned to the queue, or dropped (dead-lettered if so configured). */
export type Verdict = 'done' | 'retry' | 'discard';

/** Resolves to the verdict. A rejection is logged and counts as 'retry', after a short pause. */
export type DeliveryHandler = (delivery: Delivery) => Promise<Verdict>;

export interface ConsumeOptions {
  /** Maximum number of unsettled deliveries. */
  readonly prefetch: number;
  /** Without acknowledgements: the queue deletes a message when it is sent. For reply and control queues. */
  readonly noAck?: boolean;
}

/** A subscription; it survives lost connections. */
export interface Consumer {
  /** Stops deliveries and waits for running handlers, at most this long; the rest returns to the queue. */
  close(options?: { readonly deadlineMilliseconds?: number }): Promise<void>;
}

export interface QueueStatus {
  /** Number of ready messages, without unsettled ones. */
  readonly messages: number;
  readonly consumers: number;
}

/** State of a shared queue as this process sees it. */
export interface QueueState {
  readonly queue: string;
  /** Whether deliveries can arrive; null when this process does not consume from the queue. */
  readonly isConsuming: boolean | null;
  /** Why the queue delivers or accepts no messages; null without a problem. */
  readonly problem: string | null;
}

export interface ExchangeDefinition {
  readonly name: string;
  readonly kind: 'direct' | 'fanout';
}

export interface QueueDefinition {
  readonly name: string;
  readonly kind: 'classic' | 'quorum';
  /** Deleted with its connection; declared again, with its bindings, after a reconnect. */
  readonly exclusive?: boolean;
  /** Quorum queues only: a message is dead-lettered when it is returned more often than this. */
  readonly deliveryLimit?: number;
  readonly maximumLength?: number;
  /** When full: refuse new messages, or drop the oldest (the broker's default). */
  readonly overflow?: 'reject-publish' | 'drop-head';
  readonly messageTtlMilliseconds?: number;
  readonly deadLetterExchange?: string;
  readonly deadLetterRoutingKey?: string;
  readonly deadLetterStrategy?: 'at-least-once' | 'at-most-once';
  /** Lost messages are republished, so the queue can be deleted and declared again if it stays unusable. */
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

/** After a lost connection the state is `disconnected`, and `unreachable` once a try to reconnect has failed. */
export type BusState = 'connected' | 'blocked' | 'disconnected' | 'unreachable' | 'closed';

/**
 * A broker. Errors: UnroutableError, RefusedError (the queue is full, or the body exceeds 16 MiB), UnconfirmedError (no
 * answer in time: the message may or may not be in the queue), BusUnavailableError (not connected, blocked, or no room
 * in time: not sent).
 */
export interface MessageBus {
  readonly state: BusState;
  /**
   * Declares the topology, and again after each reconnect and whenever a part is missing later. Idempotent. Rejects
   * with TopologyMismatchError that names parts with other properties; the rest is declared all the same.
   */
  provision(topology: Topology): Promise<void>;
  /** Resolves when the broker has confirmed the message. Waits for room in the confirm window, with a deadline. */
  publish(message: OutgoingMessage): Promise<void>;
  /**
   * Resolves when deliveries can arrive, or when a queue that was provisioned here cannot be used now: then the bus
   * keeps trying, and `queueStates` reports it. Rejects with QueueMissingError for a missing queue that was not
   * provisioned.
   */
  consume(queue: string, options: ConsumeOptions, handler: DeliveryHandler): Promise<Consumer>;
  /** Null when the queue does not exist. */
  queueStatus(queue: string): Promise<QueueStatus | null>;
  /** Returns every shared queue that this process consumes from, and those that do not accept its messages. */
  queueStates(): readonly QueueState[];
  /** Calls the listener on every change of state; returns the function that removes it. */
  onStateChange(listener: (state: BusState) => void): () => void;
  /** Stops consumers, waits for confirms, disconnects. Idempotent. */
  close(): Promise<void>;
}
