import { OutgoingRefusedError } from '@millrace/service';
import type { OutgoingFetch } from '@millrace/service';

const MAXIMUM_ANSWER_BYTES = 1_024;
const MAXIMUM_RETRY_AFTER_SECONDS = 3_600;
const UNWANTED = 410;

export interface CallbackRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface CallbackAnswer {
  /** Null without an answer. */
  readonly status: number | null;
  /** Why the receiver does not count as having it; null when it does. */
  readonly error: string | null;
  /** The beginning of the answer's body. */
  readonly answer: string | null;
  /** The receiver does not want it any more. */
  readonly isUnwanted: boolean;
  /** Nothing was sent, for a reason that is not the receiver's. */
  readonly isUnsent: boolean;
  /** The pause that the receiver asks for, in milliseconds; null unless it asks for one. */
  readonly retryAfter: number | null;
}

/** Sends one attempt. Redirects are not followed. Never rejects. */
export async function sendCallback(
  fetch: OutgoingFetch,
  { url, headers, body }: CallbackRequest,
  { signal, timeoutMilliseconds }: { readonly signal: AbortSignal; readonly timeoutMilliseconds: number },
): Promise<CallbackAnswer> {
  const timeout = AbortSignal.timeout(timeoutMilliseconds);
  let status: number | null = null;
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, timeout]),
    });
    status = response.status;
    const answer = await beginningOf(response, AbortSignal.any([signal, timeout]));
    const isDelivered = status >= 200 && status < 300;
    return {
      status,
      answer,
      error: isDelivered ? null : `The receiver answered ${status}.`,
      isUnwanted: status === UNWANTED,
      isUnsent: false,
      retryAfter: isDelivered ? null : retryAfterOf(response.headers.get('retry-after')),
    };
  } catch (error) {
    const text = timeout.aborted
      ? `The receiver did not answer within ${timeoutMilliseconds / 1_000} s.`
      : signal.aborted
        ? 'The process that sent it was stopped.'
        : errorText(error);
    return { status, answer: null, error: text, isUnwanted: false, isUnsent: false, retryAfter: null };
  }
}

/** Reads the beginning of a body and closes it. */
async function beginningOf(response: Response, signal: AbortSignal): Promise<string> {
  if (response.body === null) return '';
  const reader = response.body.getReader();
  const cancel = () => void reader.cancel().catch(() => undefined);
  signal.addEventListener('abort', cancel, { once: true });
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    while (length < MAXIMUM_ANSWER_BYTES) {
      const { done, value } = await reader.read();
      if (done) break;
      chunks.push(value);
      length += value.length;
    }
    signal.throwIfAborted();
  } finally {
    signal.removeEventListener('abort', cancel);
    cancel();
  }
  return Buffer.concat(chunks).subarray(0, MAXIMUM_ANSWER_BYTES).toString();
}

function retryAfterOf(header: string | null): number | null {
  if (header === null || !/^\d{1,9}$/.test(header)) return null;
  return Math.min(Number(header), MAXIMUM_RETRY_AFTER_SECONDS) * 1_000;
}

function errorText(error: unknown): string {
  if (error instanceof OutgoingRefusedError) return `${error.message}.`;
  const cause = error instanceof Error ? error.cause : undefined;
  const code = (cause as { readonly code?: unknown } | undefined)?.code;
  return `The receiver could not be reached: ${typeof code === 'string' ? code : String(error)}.`;
}
