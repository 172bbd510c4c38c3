import { closedObject, listOf, orNull, text, uuid } from './answer-schema';

/** A variable; the value of a credential is null. */
export const variableSchema = closedObject({
  id: uuid,
  name: text,
  type: orNull(text),
  value: orNull(text),
  default_fields: listOf(text),
  validation_error: { type: 'null' },
  is_valid: { type: 'null' },
});
