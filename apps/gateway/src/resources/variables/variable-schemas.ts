import { closedObject, flag, listOf, orNull, text, uuid, namedObject } from '@millrace/messages';

/** A variable; the value of a credential is null, and `is_valid` false where no encryption key opens it. The optional members are absent with the answers of Langflow 1.11. */
export const variableSchema = namedObject(
  'Variable',
  {
    id: uuid,
    name: text,
    type: orNull(text),
    value: orNull(text),
    default_fields: listOf(text),
    has_value: flag,
    is_owner: flag,
    can_manage_shares: flag,
    validation_error: orNull(text),
    is_valid: orNull(flag),
  },
  ['has_value', 'is_owner', 'can_manage_shares'],
);

export const equalVariablesSchema = closedObject({ equal: listOf(text) });
