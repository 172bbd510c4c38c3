import { callbackKinds } from '@millrace/flow';
import { anyObject, closedObject, integer, orNull, text, uuid, named } from './json-schema';

/** The body that a receiver gets. */
export const callbackReportSchema = named(
  'CallbackReport',
  closedObject({
    type: { enum: callbackKinds.map((kind) => `run.${kind}`) },
    timestamp: text,
    data: closedObject(
      {
        run_id: uuid,
        flow_id: uuid,
        flow_version: integer,
        session_id: text,
        status: { enum: ['succeeded', 'failed', 'timed_out', 'cancelled', 'dead', 'suspended'] },
        attempts: integer,
        replay_of: orNull(uuid),
        accepted_at: text,
        finished_at: orNull(text),
        result_omitted: { type: 'boolean' },
        error: orNull(anyObject),
        usage: orNull(anyObject),
        result: orNull(anyObject),
        // Of a run that waits for a person.
        request: anyObject,
        links: closedObject({ form: text, actions: anyObject, expires_at: text }),
      },
      ['request', 'links'],
    ),
  }),
);
