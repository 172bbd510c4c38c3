import { text, uuid, namedObject } from '@millrace/messages';

/** The response for a run that continues without its caller. */
export const startedRunSchema = namedObject('StartedRun', { message: text, status: text, run_id: uuid });
