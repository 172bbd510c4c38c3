import { HttpError } from '@millrace/http';
import { repr } from '@millrace/python-text';

const REASON = 'The field is protected and keeps the value set by the flow author.';

/** Returns the error for tweaks of protected fields. */
export function tweaksRefused(fields: readonly string[]): HttpError {
  return new HttpError('tweaks_refused', {
    error: 'Refused tweaks',
    code: 'TWEAKS_REFUSED',
    message: REASON,
    fields,
  });
}

/** Returns the text of the same error as a stream event: the names are in Python's notation. */
export function tweaksRefusedText(fields: readonly string[]): string {
  return `Refused tweak keys ${repr(fields)}: ${REASON}`;
}
