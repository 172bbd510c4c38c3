/** A message to publish. The default exchange, whose name is '', routes to the queue that the routing key names. */
export interface OutgoingMessage {
  readonly exchange: string;
  readonly routingKey: string;
  readonly body: Buffer;
  /** Whether the broker keeps the message over its restart, in a durable queue. */
  readonly persistent: boolean;
  /** When true, `publish` rejects with UnroutableError if the exchange routes the message to no queue. */
  readonly mandatory: boolean;
  /**
   * The bus publishes with this routing key when a `mandatory` message was routed to no queue, or while the confirms of
   * the first queue are late.
   */
  readonly alternativeRoutingKey?: string | undefined;
  readonly messageId?: string;
  readonly correlationId?: string | undefined;
  readonly replyTo?: string | undefined;
  readonly type?: string;
  /** The broker drops the message, or dead-letters it, when it is in the queue for longer. */
  readonly expirationMilliseconds?: number | undefined;
  readonly headers?: Readonly<Record<string, string | number | boolean>>;
}

/** One arrival of a message at a consumer. */
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

/**
 * What the bus does with a delivery after its handler:
 *
 * - `done`: it acknowledges the delivery
 * - `retry`: it returns the message to the queue
 * - `discard`: it rejects the message, which the broker drops, or dead-letters if the queue has a dead-letter exchange
 */
export type Verdict = 'done' | 'retry' | 'discard';

/** Resolves to the verdict. The bus logs a rejection and treats it as 'retry', after a short pause. */
export type DeliveryHandler = (delivery: Delivery) => Promise<Verdict>;

export interface ConsumeOptions {
  /** Maximum number of unsettled deliveries. */
  readonly prefetch: number;
  /** When true, the broker deletes a message as soon as it has sent it. For queues of replies and control messages. */
  readonly noAck?: boolean;
}

/** A subscription to a queue. The bus starts it again after each reconnect. */
export interface Consumer {
  /**
   * Stops deliveries and waits for running handlers, at most until the deadline. Unsettled deliveries then return to
   * the queue.
   */
  close(options?: { readonly deadlineMilliseconds?: number }): Promise<void>;
}

/** What the broker counts in a queue. For the health of a queue, see QueueState. */
export interface QueueStatus {
  /** Number of ready messages; delivered ones without an acknowledgement are not counted. */
  readonly messages: number;
  /** Number of consumers of all processes. */
  readonly consumers: number;
}

/** Whether this process can use a queue that it shares with other processes. */
export interface QueueState {
  /** Name of the queue. */
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
  /**
   * When true, the broker deletes the queue with its connection. The bus declares it again, with its bindings, after a
   * reconnect.
   */
  readonly exclusive?: boolean;
  /** Quorum queues only: the broker dead-letters a message that was returned to the queue more often. */
  readonly deliveryLimit?: number;
  /** Maximum number of messages. */
  readonly maximumLength?: number;
  /** Whether a queue of maximum length refuses new messages, or drops its oldest one (the broker's default). */
  readonly overflow?: 'reject-publish' | 'drop-head';
  readonly messageTtlMilliseconds?: number;
  readonly deadLetterExchange?: string;
  readonly deadLetterRoutingKey?: string;
  readonly deadLetterStrategy?: 'at-least-once' | 'at-most-once';
  /**
   * When true, the bus deletes the queue and declares it again if it stays unusable. Only for queues whose messages are
   * published again when they are lost.
   */
  readonly isRecreatable?: boolean;
}

export interface BindingDefinition {
  readonly exchange: string;
  readonly queue: string;
  readonly routingKey: string;
}

/** The exchanges, queues and bindings that must exist on the broker. */
export interface Topology {
  readonly exchanges: readonly ExchangeDefinition[];
  readonly queues: readonly QueueDefinition[];
  readonly bindings: readonly BindingDefinition[];
}

/**
 * State of the connection to the broker:
 *
 * - `blocked`: connected, but the broker accepts no messages (a memory or disk alarm)
 * - `disconnected`: the connection was lost
 * - `unreachable`: the connection was lost, and an attempt to reconnect has failed
 * - `closed`: `close` was called
 */
export type BusState = 'connected' | 'blocked' | 'disconnected' | 'unreachable' | 'closed';

/**
 * The port to a message broker: RabbitMQ, or a bus inside this process. `publish` rejects with:
 *
 * - UnroutableError: the exchange routes the message to no queue
 * - RefusedError: the queue is full, or the body exceeds 16 MiB
 * - UnconfirmedError: no confirm arrived in time; the message may or may not be in the queue
 * - BusUnavailableError: the bus is not connected, is blocked, or has too many unconfirmed messages; it did not send the
 *   message
 */
export interface MessageBus {
  readonly state: BusState;
  /**
   * Declares the topology now, after each reconnect, and whenever a part of it is missing. Idempotent. Declares the
   * other parts and rejects with TopologyMismatchError when parts exist with other properties; the error names these.
   */
  provision(topology: Topology): Promise<void>;
  /**
   * Resolves when the broker has confirmed the message. While the limit of unconfirmed messages is reached, it waits
   * before it sends the message, for a limited time.
   */
  publish(message: OutgoingMessage): Promise<void>;
  /**
   * Resolves when the broker can deliver messages. Resolves as well when a queue that this bus provisioned cannot be
   * used now; the bus then keeps trying, and `queueStates` reports the queue. Rejects with QueueMissingError for a
   * missing queue that this bus did not provision.
   */
  consume(queue: string, options: ConsumeOptions, handler: DeliveryHandler): Promise<Consumer>;
  /** Asks the broker for the counts of a queue. Resolves to null when the queue does not exist. */
  queueStatus(queue: string): Promise<QueueStatus | null>;
  /** Returns the state of each shared queue that this process consumes from or that does not accept its messages. */
  queueStates(): readonly QueueState[];
  /** Calls the listener on every change of state; returns the function that removes it. */
  onStateChange(listener: (state: BusState) => void): () => void;
  /** Stops the consumers, waits for pending confirms, and disconnects. Idempotent. */
  close(): Promise<void>;
}
