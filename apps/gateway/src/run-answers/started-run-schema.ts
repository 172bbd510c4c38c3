import { closedObject, text, uuid, named } from '@millrace/messages';

/** The response for a run that continues without its caller. */
export const startedRunSchema = named(
  'StartedRun',
  closedObject({ message: text, status: text, run_id: uuid }),
);
