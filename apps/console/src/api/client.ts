import { readServerTime } from './clock';
import { projectId } from './project-path';

interface ErrorContext {
  readonly requestId?: string | undefined;
  readonly detail?: unknown;
}

/** An error answer of the API, or no answer at all (`status` 0). */
export class ApiError extends Error {
  readonly status: number;
  /** The stable code of `docs/use/errors.md`, or the empty text. */
  readonly code: string;
  readonly requestId: string | undefined;
  /** The member `detail` of the answer. */
  readonly detail: unknown;

  constructor(status: number, code: string, message: string, more: ErrorContext = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.requestId = more.requestId;
    this.detail = more.detail;
  }
}

export const SIGNED_OUT = 'millrace:signed-out';
/** A call for a project of another user was refused: the role may have changed. */
export const REFUSED = 'millrace:refused';

/** The session cookie counts only beside this header, which a page of another origin cannot send. */
const CONSOLE_HEADER = { 'x-millrace-console': '1' };

/** What is about the person, not about the project that the page shows. */
const OWN = /^\/(?:api\/v1\/(?:console|memberships|sign-on)|openapi\.json)\b/;

/** The project of another user that a call is about. */
const projectOf = (path: string) => (OWN.test(path) ? undefined : projectId);

export interface CallOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

/** Calls the API with the session of the console. Rejects with an ApiError. */
export async function open(path: string, options: CallOptions = {}): Promise<Response> {
  const { method = 'GET', body, headers, signal } = options;
  const isForm = body instanceof FormData;
  const project = projectOf(path);
  const sentAt = Date.now();
  const response = await fetch(path, {
    method,
    credentials: 'same-origin',
    headers: {
      ...CONSOLE_HEADER,
      ...(project === undefined ? {} : { 'x-millrace-project': project }),
      ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new ApiError(
      0,
      'unreachable',
      'The server does not answer. Check that it runs; the page tries again.',
    );
  });
  readServerTime(response, sentAt);
  if (response.ok) return response;
  const error = await readError(response);
  // A wrong key on the sign-in page is not the end of a session.
  if (isSignedOut(error) && !path.startsWith('/api/v1/console/session'))
    window.dispatchEvent(new Event(SIGNED_OUT));
  if (project !== undefined && error.status === 403) window.dispatchEvent(new Event(REFUSED));
  throw error;
}

/** Calls the API and reads a JSON answer; an empty answer is undefined. */
export async function call<Body>(path: string, options?: CallOptions): Promise<Body> {
  const response = await open(path, options);
  const text = await response.text();
  return (text === '' ? undefined : JSON.parse(text)) as Body;
}

const isSignedOut = ({ status, code }: ApiError) =>
  status === 401 || code === 'key_missing' || code === 'key_invalid' || code.startsWith('session_');

async function readError(response: Response): Promise<ApiError> {
  const text = await response.text().catch(() => '');
  const body = jsonIn(text);
  const code = response.headers.get('x-error-code') ?? '';
  const requestId = response.headers.get('x-request-id') ?? undefined;
  return new ApiError(
    response.status,
    code,
    (body === undefined ? plainText(text) : findMessage(body)) ?? `The server answered ${response.status}.`,
    { requestId, detail: (body as { detail?: unknown } | null | undefined)?.detail },
  );
}

function plainText(text: string): string | undefined {
  return text.length > 0 && text.length < 300 && !text.startsWith('<') ? text : undefined;
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Finds the text for people in the shapes of error bodies. */
function findMessage(value: unknown): string | undefined {
  if (typeof value === 'string') {
    if (!value.startsWith('{')) return value;
    try {
      return findMessage(JSON.parse(value)) ?? value;
    } catch {
      return value;
    }
  }
  if (Array.isArray(value))
    return value
      .map((each: { loc?: unknown[]; msg?: string }) =>
        each.msg === undefined ? findMessage(each) : `${(each.loc ?? []).slice(1).join('.')}: ${each.msg}`,
      )
      .join('; ');
  if (typeof value !== 'object' || value === null) return undefined;
  const body = value as Record<string, unknown>;
  return findMessage(body['message'] ?? body['detail'] ?? body['error']);
}

/** Makes a query string of the values that are set. */
export function query(
  values: Readonly<Record<string, string | number | boolean | null | undefined>>,
): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(values))
    if (value !== undefined && value !== null && value !== '' && value !== false)
      parameters.set(name, String(value));
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}
