/** How the text of a column begins whose content is in the object store; `whole_text` gives it as it is. */
export const IN_OBJECT = '~@';

/** SQL: whether the content of a column is in the object store. It reads no text that has a place of its own; as in the index runs_in_objects. */
export const isInObject = (column: string) =>
  `(octet_length(${column}) < 300 AND left(${column}, 2) = '${IN_OBJECT}')`;

/** SQL for the column of a row of `runs` as it was written. */
export const wholeText = (column: string, row = 'runs') =>
  `whole_text(${row}.${column}, ${row}.id, ${row}.flow_id, ${row}.session_id)`;

/** The column `messages.body` as it was written. A message can move to another session, but not to another run or flow. */
export const WHOLE_BODY = 'whole_text(messages.body, messages.run_id, messages.flow_id, NULL)';
