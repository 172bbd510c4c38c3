import { integer, listOf, orNull, text, uuid, namedObject } from '@millrace/messages';

const members = {
  sha256: text,
  status: { enum: ['waiting', 'approved', 'refused'] },
  component_type: orNull(text),
  bytes: orNull(integer),
  submitted_by: orNull(uuid),
  submitted_at: orNull(text),
  decided_by: orNull(uuid),
  decided_at: orNull(text),
};

/** A Python text of a flow and the decision about it, without the text. */
export const authorCodeSchema = namedObject('AuthorCode', members);
export const authorCodeListSchema = namedObject('AuthorCodeList', { author_code: listOf(authorCodeSchema) });

/** The same with the text, which is null when no flow has contained it. */
export const authorCodeTextSchema = namedObject('AuthorCodeText', { ...members, code: orNull(text) });
