import { alertMeasures } from '@millrace/flow';
import { integer, listOf, orNull, text, uuid, namedObject } from '@millrace/messages';

const number = { type: 'number' };

/** An alert that has not ended. `value` is what its rule measured when it began. */
export const alertListSchema = listOf(
  namedObject('Alert', {
    alert_id: uuid,
    flow_id: uuid,
    flow_name: text,
    rule: text,
    measure: { enum: [...alertMeasures] },
    threshold: number,
    window_minutes: integer,
    value: orNull(number),
    began_at: text,
  }),
);
