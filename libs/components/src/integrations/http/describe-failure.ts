import { HttpFailure } from './http-failure';
import type { HttpCall } from './http-call';

/** Codes of failures before a connection was established. */
const connectErrorCodes: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Codes of bodies that are not encoded as their header says. */
const decodingErrorCodes = /^Z_|^ERR_(?:_ERROR_|BROTLI|ZLIB)/;

/** Converts a rejection of `fetch` to an HttpFailure without URLs, which can contain keys. */
export function describeFailure(error: unknown, { service, url }: HttpCall): HttpFailure {
  if (error instanceof HttpFailure) return error;
  if ((error as { name?: unknown }).name === 'TimeoutError') {
    return new HttpFailure(`${service} (${url.host}) did not answer in time.`, 'timeout', { cause: error });
  }
  const { code, message } = causeOf(error);
  if (code === 'outgoing_refused')
    return new HttpFailure(`${service}: ${message}`, 'refused', {
      detail: message,
      neverSent: true,
      cause: error,
    });
  if (code !== null && decodingErrorCodes.test(code)) {
    const words = `${service} (${url.host}) answered with a body that cannot be decompressed (${code}).`;
    return new HttpFailure(words, 'unreachable', { cause: error });
  }
  const reason = code ?? (/^More than|redirect/.test(message) ? message : 'the connection failed');
  return new HttpFailure(`${service} (${url.host}) could not be reached: ${reason}`, 'unreachable', {
    neverSent: code !== null && connectErrorCodes.has(code),
    cause: error,
  });
}

interface Cause {
  readonly code: string | null;
  readonly message: string;
}

/** Returns the first error with a code in the chain of causes; the outer errors only report that fetch failed. */
function causeOf(error: unknown): Cause {
  const { code, message, cause } = error as { code?: unknown; message?: unknown; cause?: unknown };
  if (typeof code === 'string') return { code, message: String(message) };
  return typeof cause === 'object' && cause !== null
    ? causeOf(cause)
    : { code: null, message: String(message) };
}
