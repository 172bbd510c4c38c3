import { closedObject, flag, listOf, orNull, text, uuid } from './answer-schema';

/** A variable; the value of a credential is null. The optional members are absent with the answers of Langflow 1.11. */
export const variableSchema = closedObject(
  {
    id: uuid,
    name: text,
    type: orNull(text),
    value: orNull(text),
    default_fields: listOf(text),
    has_value: flag,
    is_owner: flag,
    can_manage_shares: flag,
    validation_error: { type: 'null' },
    is_valid: { type: 'null' },
  },
  ['has_value', 'is_owner', 'can_manage_shares'],
);
