import { closedObject, text, uuid } from '@millrace/messages';

/** The response for a run that continues without its caller. */
export const startedRunSchema = closedObject({ message: text, status: text, run_id: uuid });
