import { ComponentError } from '@millrace/flow';
import { APIConnectionError, APIConnectionTimeoutError, APIError, BadRequestError } from 'openai';
import { repr } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';

/**
 * Returns the error for a failed call of a model: the provider's text for a bad request, else the status with the body
 * in Python's notation. Our own errors are returned unchanged.
 */
export function providerError(error: unknown): ComponentError {
  return error instanceof ComponentError ? error : new ComponentError(errorText(error), error);
}

function errorText(error: unknown): string {
  if (error instanceof APIConnectionTimeoutError) return 'Request timed out.';
  if (error instanceof APIConnectionError) return 'Connection error.';
  if (error instanceof BadRequestError) return messageIn(error) ?? statusText(error);
  if (error instanceof APIError) return statusText(error);
  return error instanceof Error ? error.message : String(error);
}

function messageIn(error: APIError): string | null {
  const body: unknown = error.error;
  if (typeof body !== 'object' || body === null || !('message' in body)) return null;
  return typeof body.message === 'string' && body.message !== '' ? body.message : null;
}

function statusText(error: APIError): string {
  if (error.status === undefined) return error.message;
  const body: unknown = error.error;
  return body === undefined || body === null
    ? `Error code: ${String(error.status)}`
    : `Error code: ${String(error.status)} - ${repr({ error: body as PythonValue })}`;
}
