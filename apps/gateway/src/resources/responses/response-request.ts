import { responseBodySchema } from './response-body';
import type { ResponseBody } from './response-body';
import { uuidv7 } from '@millrace/service';
import { flagValue } from '../../http/validation/flag';
import { createValidator } from '../../http/validation/validator';

const validate = createValidator(responseBodySchema);

export interface ResponseRequest {
  /** Id of the response and of the session. The next request names it to continue the conversation. */
  readonly id: string;
  /** The flow's id or endpoint name. */
  readonly model: string;
  readonly input: string;
  readonly stream: boolean;
  readonly previousId: string | null;
  readonly hasTools: boolean;
  /** Whether a streamed answer shows the results of tools. */
  readonly showsResults: boolean;
}

/** Parses the body of `POST /api/v1/responses`. Throws invalid_request. */
export function responseRequest(value: unknown): ResponseRequest {
  validate(value);
  const body = value as ResponseBody;
  const previousId = body.previous_response_id || null;
  return {
    id: previousId ?? uuidv7(),
    model: body.model,
    input: body.input,
    stream: flagValue(body.stream),
    previousId,
    hasTools: (body.tools ?? []).length > 0,
    showsResults: (body.include ?? []).includes('tool_call.results'),
  };
}
