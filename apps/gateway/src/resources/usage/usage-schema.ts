import { closedObject, flag, integer, listOf, orNull, text, uuid, namedObject } from '@millrace/messages';

const number = { type: 'number' };

const rowMembers = {
  start: orNull(text),
  user_id: orNull(uuid),
  username: orNull(text),
  project_id: orNull(uuid),
  project_name: orNull(text),
  flow_id: orNull(uuid),
  flow_name: orNull(text),
  key_id: orNull(uuid),
  key_name: orNull(text),
  pool: orNull(text),
  provider: orNull(text),
  model: orNull(text),
  runs: integer,
  failures: integer,
  model_calls: integer,
  input_tokens: integer,
  output_tokens: integer,
  cost_usd: number,
  unpriced_calls: integer,
  waiting_milliseconds: integer,
  running_milliseconds: integer,
};
export const usageRowNames: readonly string[] = Object.keys(rowMembers);

/** Sums of what ended runs used. What the question does not sum by is null, and so is the name of what was deleted. */
export const usageSchema = namedObject('UsageReport', {
  from: text,
  before: text,
  complete: flag,
  rows: listOf(closedObject(rowMembers)),
});
