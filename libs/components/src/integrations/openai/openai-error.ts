import { ComponentError } from '@millrace/flow';
import { repr } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';
import { member, textMember } from '../http/json-members';
import { ModelRefusal } from '../models/model-refusal';

/**
 * Returns the error for an answer without a success status: the provider's text for a bad request, else the status with
 * the body in Python's notation.
 */
export function refusalError(status: number, bodyText: string): ComponentError {
  const error = member(parsed(bodyText), 'error');
  const text = (status === 400 ? textMember(error, 'message') : '') || statusText(status, error);
  return new ComponentError(text, new ModelRefusal(status, text));
}

/** Returns the error that a server reports within a stream; null when the event is none. */
export function reportedError(event: PythonValue): ComponentError | null {
  // Some servers send the error itself.
  const isBare = member(event, 'choices') === null && textMember(event, 'message') !== '';
  const error = member(event, 'error') || (isBare && event);
  return error ? new ComponentError(textMember(error, 'message') || JSON.stringify(error)) : null;
}

function statusText(status: number, error: PythonValue): string {
  const code = `Error code: ${status}`;
  return error === null ? code : `${code} - ${repr({ error })}`;
}

function parsed(text: string): PythonValue {
  try {
    return JSON.parse(text) as PythonValue;
  } catch {
    return null;
  }
}
