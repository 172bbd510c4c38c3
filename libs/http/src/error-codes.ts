/** One kind of error: its HTTP statuses and its meaning for a caller. */
export interface ErrorKind {
  /** The default status first. */
  readonly statuses: readonly [number, ...number[]];
  readonly meaning: string;
}

/**
 * Every error of the HTTP interface. The code never changes and is sent in the `X-Error-Code` header. The body has the
 * shape that Langflow's clients expect. docs/use/errors.md contains this table, and a test compares the two.
 */
export const errorCodes = {
  invalid_json: kind(
    422,
    'The body is not JSON, or a text in it cannot be stored; the location is the character where the error is.',
  ),
  invalid_request: kind(
    422,
    'A body, path or query value is missing or invalid; the location is in each item.',
  ),
  undecodable_body: kind(
    400,
    'The body is not UTF-8, UTF-16 or UTF-32, has an unsupported compression, or is a form of over 100 parts.',
  ),
  not_acceptable: kind(406, 'The caller does not accept the media types of the answer.'),
  encoding_refused: kind(
    415,
    'A webhook has a Content-Encoding other than gzip, or a delivery to a trigger has any.',
  ),
  undecodable_url: kind(400, 'The URL contains an invalid escape or a NUL character.'),
  body_too_large: kind(413, 'The body exceeds the limit of bytes or of members.'),
  body_late: kind(408, 'The body did not arrive in time.'),
  key_missing: kind(403, 'The request has no API key.'),
  key_invalid: kind(403, 'The API key is unknown, inactive or expired.'),
  agent_key_refused: kind(401, 'The API key of a request by A2A is missing, unknown, inactive or expired.'),
  signature_invalid: kind(
    401,
    'The signature of a webhook is missing or invalid; the answer does not say which part is wrong.',
  ),
  challenge_refused: kind(
    403,
    'The request that verifies the address of a webhook does not contain the secret of the flow, or the flow has none.',
  ),
  session_invalid: kind(
    401,
    'No session of the web console: it has expired or was ended, or the cookie or the header `x-millrace-console` is missing.',
  ),
  token_invalid: kind(
    401,
    'The bearer token is not valid, as the text says, or this route takes no bearer tokens: send the API key in `x-api-key`.',
  ),
  end_user_missing: kind(
    401,
    'The API key acts for end users, and the request names none; `detail.code` is `END_USER_IDENTITY_REQUIRED`.',
  ),
  end_user_invalid: kind(
    400,
    'The id of an end user cannot be a part of a session: too long, not visible ASCII, or with `::`.',
  ),
  logout_refused: kind(400, 'The logout token of an issuer is not valid; the text contains the reason.'),
  issuer_unavailable: kind(503, 'The issuer of a token, or of a sign-in, does not answer.'),
  permission_denied: kind(403, 'The API key lacks the required scope, or its bounds exclude the request.'),
  flow_unknown: kind(404, 'The flow does not exist or belongs to another user.'),
  flow_without_data: kind(
    [404, 500],
    'The flow has no nodes and edges. Status 500 on the simple run form, as in Langflow.',
  ),
  trigger_unknown: kind(
    404,
    'No inbound webhook has this address, or the request is not signed with its secret; the answer does not say which.',
  ),
  trigger_invalid: kind(
    [422, 409],
    'The configuration of a trigger is invalid; the text contains the reason. Status 409 when it was to be enabled.',
  ),
  too_many_triggers: kind(429, "The limit of the user's triggers is reached; the text contains the limit."),
  not_found: kind(404, 'The record does not exist or belongs to another user.'),
  not_recorded: kind(404, 'The flow keeps no record of runs that succeed, or there is no such run.'),
  key_unknown: kind(400, 'The API key does not exist.'),
  route_unknown: kind(404, 'The path does not exist.'),
  method_not_allowed: kind(405, 'The path does not accept this method; `Allow` names one that it accepts.'),
  tweak_conflict: kind(400, 'The request has an input value and a tweak for the same input.'),
  tweaks_refused: kind(
    422,
    'A tweak is of a protected field, which only the flow can set; `fields` lists the names.',
  ),
  tweak_invalid: kind(
    [500, 400],
    'A tweak has a value of a kind that its field cannot take; the text is that of Python. Status 400 on /api/v2/workflows, as in Langflow.',
  ),
  flow_locked: kind(423, 'The flow is locked; unlock it with a change of its own.'),
  flow_version_conflict: kind(
    409,
    'The flow has changed since the version that `If-Match` names; the body has the current token.',
  ),
  invalid_value: kind(400, 'A value has the right type but is not acceptable; the text contains the reason.'),
  duplicate: kind([400, 409], 'The name is already in use. Status 409 for an MCP server.'),
  endpoint_deprecated: kind(400, 'The path is deprecated; the text names its successor.'),
  invalid_flow: kind(422, 'The document is not a flow.'),
  flow_refused: kind(
    422,
    'A vertex that would run is of an unknown type, has edited code, or has tools that a person must approve; each item names one.',
  ),
  output_unknown: kind(422, 'The flow has no such output; `available` lists those it has.'),
  idempotency_key_invalid: kind(400, 'The Idempotency-Key header is empty, too long or contains spaces.'),
  idempotency_conflict: kind(422, 'The Idempotency-Key was used with another request.'),
  component_failed: kind(500, 'A component of the flow failed; the text is its message.'),
  budget_exceeded: kind(
    402,
    'A call of a model was not made because a budget has too little left for it; the text names the budget.',
  ),
  output_type_missing: kind(500, '`output_type` was null.'),
  too_many_vertices: kind(
    500,
    'The run exceeded the limit of executed vertices, or its flows were nested too deep.',
  ),
  output_too_large: kind(500, 'The result of the run exceeds the size limit.'),
  human_input_unsupported: kind(
    400,
    'The flow waits for a person, and this route cannot: run it at `/api/v2/workflows`.',
  ),
  not_answered: kind(408, 'The question of the run was not answered in its time.'),
  decision_refused: kind(422, 'The decision is none of those that the request for human input allows.'),
  not_resumable: kind(409, 'The run does not wait for a person, or not with this request.'),
  deadlocked: kind(500, 'Vertices of the flow wait for each other.'),
  attempts_exhausted: kind(500, 'Every attempt of the run crashed its executor.'),
  job_failed: kind(500, 'The requested run has failed; `message` contains the reason.'),
  deadline_exceeded: kind(
    [504, 408],
    'The run did not end within its deadline. Status 408 on /api/v2/workflows, as in Langflow.',
  ),
  cancelled: kind(503, 'The run was cancelled.'),
  flow_paused: kind(503, 'The flow is paused; the text contains the reason.'),
  no_executor: kind(
    503,
    'No executor of the pool is running; the text names the pool, and says when the flow needs Python.',
  ),
  python_busy: kind(503, 'No Python process of the executor was free within the wait of the run.'),
  too_many_waiting: kind(
    429,
    'A limit of background runs that wait is reached; the text contains it and what it is of.',
  ),
  too_many_callers: kind(429, 'A limit of concurrent runs is reached; the text contains the limit.'),
  rate_limited: kind(
    429,
    'A limit of requests per second or of bytes per day is exceeded; the text names it and what it is of.',
  ),
  too_many_runs: kind(503, "The gateway's limit of concurrent runs is reached."),
  too_many_bodies: kind(503, "The memory limit for request bodies, or a user's part of it, is reached."),
  events_lost: kind(503, 'Events of a streamed run were lost in transit; the run itself may have succeeded.'),
  broker_unavailable: kind(503, 'The message broker is unavailable or accepts no messages.'),
  database_unavailable: kind(503, 'The database is unavailable, its disk is full, or it accepts no writes.'),
  secret_store_unavailable: kind(
    503,
    'The store of secrets that the operator has named does not answer, refuses the request, or has no text of this name.',
  ),
  object_store_unavailable: kind(
    503,
    'The object store, which has large files, requests and results, is unavailable or refuses the request.',
  ),
  ingest_unavailable: kind(
    503,
    'The service that accepts webhooks is unavailable, or its memory limit for large webhooks is reached.',
  ),
  shutting_down: kind(
    503,
    'This gateway is stopping; another gateway, or its successor, can serve the request.',
  ),
  encryption_failed: kind(
    500,
    'A stored secret opens with none of the encryption keys of the installation; the operator must add the key that encrypted it.',
  ),
  logs_disabled: kind(501, 'Logs are not available over HTTP; they are written to standard output.'),
  internal: kind(500, 'An unexpected error; the log contains the details under the request id.'),
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof errorCodes;

function kind(status: number | ErrorKind['statuses'], meaning: string): ErrorKind {
  return { statuses: typeof status === 'number' ? [status] : status, meaning };
}
