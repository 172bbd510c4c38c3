import { flag, integer, namedObject } from '@millrace/messages';

/** What one request deleted; `complete` once nothing is left. */
export const erasureSchema = namedObject('Erasure', {
  sessions: integer,
  messages: integer,
  runs: integer,
  runs_in_progress: integer,
  complete: flag,
});
