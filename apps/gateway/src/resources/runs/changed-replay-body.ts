import { tweaksSchema } from './tweaks-schema';
import { runInputsSchema } from './advanced-run-body';
import { closedBody } from '../../http/validation/body-schema';
import type { ValueOf } from '../../http/validation/body-schema';

const membersSchema = closedBody('ChangedReplay', {
  /** The value of the first input. */
  input_value: { type: ['string', 'null'] },
  inputs: runInputsSchema,
  tweaks: tweaksSchema,
  session_id: { type: ['string', 'null'] },
  files: { type: ['array', 'null'], items: { type: 'string' } },
  /** A text is the body as it is; any other value is written as JSON. */
  webhook_payload: {},
});

/** Body of `POST /api/v1/runs/{run_id}/replay`: what differs from the request of the run. */
export type ChangedReplayBody = ValueOf<typeof membersSchema>;

export const changedReplayBodySchema = { ...membersSchema, type: ['object', 'null'] };
