import { closedObject, flag, integer, named } from '@millrace/messages';

/** What one request deleted; `complete` once nothing is left. */
export const erasureSchema = named(
  'Erasure',
  closedObject({
    sessions: integer,
    messages: integer,
    runs: integer,
    runs_in_progress: integer,
    complete: flag,
  }),
);
