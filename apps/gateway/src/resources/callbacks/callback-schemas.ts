import { closedObject, flag, integer, listOf, orNull, text, uuid, namedObject } from '@millrace/messages';
import { callbackKinds } from '@millrace/flow';

const deliveryMembers = {
  id: uuid,
  /** Null for a report of an alert. */
  run_id: orNull(uuid),
  flow_id: uuid,
  kind: { enum: [...callbackKinds] },
  /** `amqp:` and the name of the connection's variable for a report to an exchange. */
  url: text,
  amqp: orNull(closedObject({ connection: text, exchange: text, routing_key: text, is_reply: flag })),
  state: { enum: ['pending', 'delivered', 'dead'] },
  attempts: integer,
  next_attempt_at: orNull(text),
  created_at: text,
  delivered_at: orNull(text),
  last_status: orNull(integer),
  last_error: orNull(text),
};

/** A report of the end of a run to one address. */
const callbackDeliverySchema = namedObject('Callback', deliveryMembers);
export const callbackListSchema = listOf(callbackDeliverySchema);

/** A delivery with the log of its last attempts, newest first. */
export const callbackLogSchema = namedObject('CallbackLog', {
  ...deliveryMembers,
  log: listOf(
    closedObject({
      number: integer,
      at: text,
      milliseconds: integer,
      status: orNull(integer),
      error: orNull(text),
      answer: orNull(text),
    }),
  ),
});

/** Answer of `POST /api/v1/callbacks/replay`. */
export const callbackReplaySchema = namedObject('ReplayedCallbacks', { replayed: listOf(uuid) });
