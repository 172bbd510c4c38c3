import { controlTopology } from '@millrace/messages';
import type { BrokerNames, ControlMessage } from '@millrace/messages';
import { broadcastControlMessage, controlHandler } from '@millrace/dispatch';
import type { Consumer, MessageBus } from '@millrace/messaging';
import type { Logger } from '@millrace/service';

export interface ControlChannelOptions {
  readonly bus: MessageBus;
  readonly names: BrokerNames;
  readonly instance: string;
  readonly logger: Logger;
}

/** What this gateway does on the messages of other processes. */
export interface ControlHandlers {
  /** An executor has started, or is connected to the broker again. */
  onExecutorAppeared(): void;
  /** A flow was changed or deleted. */
  onFlowChanged(flowId: string): void;
  /** The caller of a tool cancelled a call that may run here. */
  onCallCancelled(call: Extract<ControlMessage, { kind: 'cancel-call' }>): void;
  /** An admin approved, refused or deleted a Python text. */
  onAuthorCodeChanged(sha256: string): void;
  /** An API key was deleted. */
  onKeyRevoked(keyHash: string, keepsStreams: boolean): void;
  /** Limits of keys, users, projects or flows have changed. */
  onLimitsChanged(): void;
  /** A session of the web console ended. */
  onSessionEnded(tokenHash: string): void;
  /** Another gateway is looking for a run whose caller may be waiting here. */
  onRunLookup(request: Extract<ControlMessage, { kind: 'who-waits' }>): void;
  /** Another gateway reports that the caller of such a run is waiting there. */
  onRunLocated(response: Extract<ControlMessage, { kind: 'waits-here' }>): void;
  /** An executor tells what the vertices of a run have done so far. */
  onVertices(answer: Extract<ControlMessage, { kind: 'vertices-so-far' }>): void;
}

/** Sends control messages to all processes and receives theirs. A message can be lost; caches expire anyway. */
export class ControlChannel {
  readonly #options: ControlChannelOptions;
  #consumer: Consumer | null = null;

  constructor(options: ControlChannelOptions) {
    this.#options = options;
  }

  /** Starts to receive messages. */
  async open(on: ControlHandlers): Promise<void> {
    const { bus, names, instance, logger } = this.#options;
    await bus.provision(controlTopology(names, instance));
    this.#consumer = await bus.consume(
      names.control(instance),
      { prefetch: 100, noAck: true },
      controlHandler(
        {
          'are-you-there': () => on.onExecutorAppeared(),
          'cancel-call': (message) => on.onCallCancelled(message),
          'flow-changed': ({ flowId }) => on.onFlowChanged(flowId),
          'author-code-changed': ({ sha256 }) => on.onAuthorCodeChanged(sha256),
          'key-revoked': ({ keyHash, keepsStreams = false }) => on.onKeyRevoked(keyHash, keepsStreams),
          'limits-changed': () => on.onLimitsChanged(),
          'session-ended': ({ tokenHash }) => on.onSessionEnded(tokenHash),
          'who-waits': (message) => on.onRunLookup(message),
          'waits-here': (message) => on.onRunLocated(message),
          'vertices-so-far': (message) => on.onVertices(message),
        },
        logger,
      ),
    );
  }

  /** Resolves when the broker has confirmed the message. A failure is only logged, since callers cannot act on it. */
  async send(message: ControlMessage): Promise<void> {
    try {
      await broadcastControlMessage(this.#options, message);
    } catch (error) {
      this.#options.logger.warn({ error, kind: message.kind }, 'a control message could not be sent');
    }
  }

  async close(): Promise<void> {
    await this.#consumer?.close();
  }
}
