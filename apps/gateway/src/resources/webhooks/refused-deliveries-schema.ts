import { closedObject, integer, listOf, orNull, text, uuid, namedObject } from '@millrace/messages';

/** Answer of `GET /api/v1/flows/{flow_id}/refused-deliveries`: newest first. */
export const refusedDeliveriesSchema = namedObject('RefusedDeliveryList', {
  refused: listOf(
    closedObject({
      id: uuid,
      refused_at: text,
      count: integer,
      code: text,
      status: integer,
      reason: text,
      request_id: orNull(text),
      client_address: orNull(text),
    }),
  ),
});
