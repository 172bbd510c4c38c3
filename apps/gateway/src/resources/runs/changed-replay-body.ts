import type { Tweaks } from '@millrace/flow';
import { tweaksSchema } from './tweaks-schema';
import { runInputsSchema } from './advanced-run-body';
import type { RunInputBody } from './advanced-run-body';
import type { RequestSchema } from '../../http/validation/request-schema';

/** Body of `POST /api/v1/runs/{run_id}/replay`: what differs from the request of the run. */
export interface ChangedReplayBody {
  /** The value of the first input. */
  readonly input_value?: string | null;
  readonly inputs?: readonly RunInputBody[] | null;
  readonly tweaks?: Tweaks | null;
  readonly session_id?: string | null;
  readonly files?: readonly string[] | null;
  /** A text is the body as it is; any other value is written as JSON. */
  readonly webhook_payload?: unknown;
}

export const changedReplayBodySchema: RequestSchema = {
  title: 'ChangedReplay',
  type: ['object', 'null'],
  'x-model': true,
  additionalProperties: false,
  properties: {
    input_value: { type: ['string', 'null'] },
    inputs: runInputsSchema,
    tweaks: tweaksSchema,
    session_id: { type: ['string', 'null'] },
    files: { type: ['array', 'null'], items: { type: 'string' } },
    webhook_payload: {},
  },
};
