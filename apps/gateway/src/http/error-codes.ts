/** One kind of refusal: the HTTP statuses it is answered with, and what it means to a caller. */
export interface ErrorKind {
  /** The usual one first. */
  readonly statuses: readonly [number, ...number[]];
  readonly meaning: string;
}

/**
 * Every error the HTTP interface can answer with. The code never changes and is sent in the `X-Error-Code` header; the
 * body keeps the shape Langflow's clients know. docs/errors.md is this table in prose, and a test compares the two.
 */
export const errorCodes = {
  invalid_json: kind(422, 'The body is not JSON; `ctx.error` says what was expected at which character.'),
  invalid_request: kind(
    422,
    'A body, path or query value is missing or has the wrong form; each item says where.',
  ),
  undecodable_body: kind(
    400,
    'The bytes of the body are not UTF-8, UTF-16 or UTF-32, or come in a compression that is not accepted.',
  ),
  encoding_refused: kind(415, 'A webhook has a Content-Encoding; its bytes are kept as they are.'),
  undecodable_url: kind(400, 'The URL holds a broken escape or a NUL character.'),
  body_too_large: kind(413, 'The body has more bytes or more members than it may.'),
  body_late: kind(408, 'The body did not come in time.'),
  key_missing: kind(403, 'No API key came with the request.'),
  key_invalid: kind(403, 'The API key is unknown, inactive or expired.'),
  signature_invalid: kind(
    401,
    'A webhook is not signed as its flow asks for; which part is wrong is not said.',
  ),
  token_invalid: kind(401, 'This route takes no bearer token; send the API key in `x-api-key`.'),
  permission_denied: kind(403, 'The API key lacks the scope this needs.'),
  flow_unknown: kind(404, 'There is no such flow, or it belongs to somebody else.'),
  flow_without_data: kind(
    [404, 500],
    'The flow has no nodes and edges. Status 500 on the simple run form, as in Langflow.',
  ),
  not_found: kind(404, 'There is no such record, or it belongs to somebody else.'),
  key_unknown: kind(400, 'There is no such API key to delete.'),
  route_unknown: kind(404, 'There is no such path.'),
  method_not_allowed: kind(405, 'The path takes another method; `Allow` names it.'),
  tweak_conflict: kind(400, 'An input value and a tweak of the same input were given.'),
  invalid_value: kind(400, 'A value has the right form but cannot be taken; the text says why.'),
  duplicate: kind(400, 'The name is taken.'),
  endpoint_deprecated: kind(400, 'The path existed once; the text names its successor.'),
  invalid_flow: kind(422, 'The document is not a flow.'),
  flow_refused: kind(
    422,
    'A vertex that would run is of an unknown type or carries edited code; each item names one.',
  ),
  output_unknown: kind(422, 'The flow has no such output; `available` lists those it has.'),
  idempotency_key_invalid: kind(400, 'The Idempotency-Key header is empty, too long or holds blanks.'),
  idempotency_conflict: kind(422, 'The Idempotency-Key was used with another request.'),
  component_failed: kind(500, 'A component of the flow failed; the text is its message.'),
  output_type_missing: kind(500, '`output_type` was null.'),
  too_many_vertices: kind(
    500,
    'The run executed more vertices than a run may, or its flows ran each other too deep.',
  ),
  output_too_large: kind(500, 'The answer is larger than a run may give.'),
  deadlocked: kind(500, 'Vertices of the flow wait for each other.'),
  attempts_exhausted: kind(500, 'The run ended its executor on every attempt.'),
  job_failed: kind(500, 'The run that is asked for has failed; `message` says why.'),
  deadline_exceeded: kind(
    [504, 408],
    'The run did not end within its deadline. Status 408 on /api/v2/workflows, as in Langflow.',
  ),
  cancelled: kind(503, 'The run was cancelled.'),
  no_executor: kind(503, 'No executor of the pool is running; the text names the pool.'),
  too_many_waiting: kind(
    429,
    'As many background runs of the user wait for their turn as may; the text says how many.',
  ),
  too_many_callers: kind(
    429,
    'As many callers of the user wait for runs at this gateway as may; the text says how many.',
  ),
  rate_limited: kind(429, 'The API key came more often than it may; the text says how often that is.'),
  too_many_runs: kind(503, 'This gateway waits for as many runs as it may.'),
  too_many_bodies: kind(503, 'This gateway holds as many bytes of request bodies as it may.'),
  events_lost: kind(
    503,
    'Events of a streamed run were lost on their way; the run itself may have ended well.',
  ),
  broker_unavailable: kind(503, 'The message broker is away or takes nothing.'),
  database_unavailable: kind(503, 'The database is away, its disk is full, or it takes no writes.'),
  ingest_unavailable: kind(
    503,
    'The service that takes webhooks is away, or holds as many large ones as it may.',
  ),
  shutting_down: kind(503, 'This gateway is stopping; another one, or the next one, takes the request.'),
  logs_disabled: kind(501, 'Logs are not handed out over HTTP; they go to standard output.'),
  internal: kind(500, 'Something unforeseen; the log has the details under the request id.'),
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof errorCodes;

function kind(status: number | ErrorKind['statuses'], meaning: string): ErrorKind {
  return { statuses: typeof status === 'number' ? [status] : status, meaning };
}
