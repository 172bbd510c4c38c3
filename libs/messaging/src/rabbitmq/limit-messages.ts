import type { Channel } from 'amqplib';

/** A frame of a message as amqplib hands it to a channel: the header has the size of the body, the others its bytes. */
interface MessageFrame {
  readonly size?: number;
  readonly fields?: object;
  readonly content?: Buffer;
}

type AcceptFrame = (frame: MessageFrame) => unknown;

/** The sizes of bodies that were dropped, by the properties of their message. */
const dropped = new WeakMap<object, number>();

/**
 * Drops bodies of more bytes than the limit while they arrive, because amqplib gathers each whole message in memory. Such
 * a message is delivered with an empty body; `droppedBytes` returns its size.
 */
export function limitMessages(channel: Channel, maximumBytes: number): void {
  if (!('acceptMessageFrame' in channel) || typeof channel.acceptMessageFrame !== 'function')
    throw new Error('this version of amqplib has no frames of messages');
  const accept = channel.acceptMessageFrame.bind(channel) as AcceptFrame;
  let rest = 0;
  const limited: AcceptFrame = (frame) => {
    if (frame.content !== undefined && rest > 0) {
      rest -= frame.content.length;
      return undefined;
    }
    // A header without a body is complete.
    if (frame.size === undefined || frame.size <= maximumBytes) return accept(frame);
    rest = frame.size;
    const fields = { ...frame.fields };
    dropped.set(fields, frame.size);
    return accept({ ...frame, size: 0, fields });
  };
  Object.assign(channel, { acceptMessageFrame: limited });
}

/** Returns the size of a body that was dropped, by the properties of its message; undefined for one that is there. */
export function droppedBytes(properties: object): number | undefined {
  return dropped.get(properties);
}
