import { REPLY_BATCH, writeReplyBatch } from '@millrace/messages';
import type { BatchedReply } from '@millrace/messages';
import { TurnBatches } from '@millrace/messaging';
import type { AfterTurn, MessageBus, OutgoingMessage } from '@millrace/messaging';

const MAXIMUM_REPLY_BYTES = 65_536;
const MAXIMUM_BATCH_BYTES = 262_144;
const MAXIMUM_BATCH_REPLIES = 64;

/** A reply as the message that carries it alone. */
export type ReplyMessage = OutgoingMessage &
  Omit<BatchedReply, 'headers'> &
  Required<Pick<OutgoingMessage, 'headers'>>;

export type ReplyBatches = TurnBatches<ReplyMessage>;

/** Returns the batches of replies that become ready in one turn of the event loop, for one gateway. */
export function openReplyBatches(
  bus: Pick<MessageBus, 'publish'>,
  // Replies become ready together when one read brings the responses of many commands or calls.
  afterTurn: AfterTurn = process.nextTick,
): ReplyBatches {
  return new TurnBatches({
    bus,
    maximumMessageBytes: MAXIMUM_REPLY_BYTES,
    maximumBatchBytes: MAXIMUM_BATCH_BYTES,
    maximumBatchMessages: MAXIMUM_BATCH_REPLIES,
    join: (replies) => ({
      exchange: replies[0].exchange,
      routingKey: replies[0].routingKey,
      body: writeReplyBatch(replies),
      persistent: false,
      mandatory: true,
      type: REPLY_BATCH,
    }),
    afterTurn,
  });
}
