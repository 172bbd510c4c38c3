import { readControlMessage } from '@millrace/messages';
import type { ControlMessage } from '@millrace/messages';
import type { DeliveryHandler } from '@millrace/messaging';
import type { Logger } from '@millrace/service';

type Kind = ControlMessage['kind'];

/** What a process does with each kind of control message; kinds without a function are ignored. */
export type ControlHandlers = {
  readonly [Name in Kind]?: (message: Extract<ControlMessage, { kind: Name }>) => void | Promise<void>;
};

/**
 * Returns the consumer of a control queue. A message that cannot be parsed, or lacks a member of its kind, is logged and
 * discarded. Kinds of future versions are ignored.
 */
export function controlHandler(handlers: ControlHandlers, logger: Logger): DeliveryHandler {
  return async ({ body }) => {
    const message = readControlMessage(body.toString());
    if (message === null) {
      logger.warn({ bytes: body.length }, 'control message ignored: it is invalid');
      return 'discard';
    }
    const handle = Object.hasOwn(handlers, message.kind) ? handlers[message.kind] : undefined;
    // Each function takes the messages of its own kind, which the type of a table cannot express.
    await (handle as ((message: ControlMessage) => void | Promise<void>) | undefined)?.(message);
    return 'done';
  };
}
