import { JOB_BATCH, writeJobBatch } from '@millrace/messages';
import { TurnBatches } from '@millrace/messaging';
import type { AfterTurn, MessageBus, OutgoingMessage } from '@millrace/messaging';

const MAXIMUM_JOB_BYTES = 16_384;
const MAXIMUM_BATCH_BYTES = 131_072;
/** More jobs in one message would leave executors of the pool without work. */
const MAXIMUM_BATCH_JOBS = 16;

export type JobBatches = TurnBatches<OutgoingMessage>;

export interface JobBatchesOptions {
  readonly bus: Pick<MessageBus, 'publish'>;
  /** Receives the ids of the runs whose jobs share a message, before it is published. */
  onShared(runIds: readonly string[]): void;
  /** The end of the turn; unless given, that of the event loop when all requests that have arrived are read. */
  readonly afterTurn?: AfterTurn;
}

/**
 * Returns the batches of jobs that become ready in one turn of the event loop, for one pool. Only jobs of runs without a
 * row, without headers, and with the same reply queue may share a message.
 */
export function openJobBatches({ bus, onShared, afterTurn = setImmediate }: JobBatchesOptions): JobBatches {
  return new TurnBatches({
    bus,
    maximumMessageBytes: MAXIMUM_JOB_BYTES,
    maximumBatchBytes: MAXIMUM_BATCH_BYTES,
    maximumBatchMessages: MAXIMUM_BATCH_JOBS,
    join: (jobs) => {
      const [{ exchange, routingKey, alternativeRoutingKey, replyTo }] = jobs;
      const expirations = jobs.map(({ expirationMilliseconds = Infinity }) => expirationMilliseconds);
      const last = Math.max(...expirations);
      onShared(jobs.map(({ correlationId = '' }) => correlationId));
      return {
        exchange,
        routingKey,
        persistent: false,
        mandatory: true,
        type: JOB_BATCH,
        body: writeJobBatch(jobs.map(({ body }) => body)),
        alternativeRoutingKey,
        replyTo,
        expirationMilliseconds: Number.isFinite(last) ? last : undefined,
      };
    },
    afterTurn,
  });
}
