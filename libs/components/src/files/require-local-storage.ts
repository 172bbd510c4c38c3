import { ComponentError } from '@millrace/flow';

/** Throws a ComponentError for a storage location other than Millrace's own; no choice means the local one. */
export function requireLocalStorage([location = 'Local']: readonly string[]): void {
  if (location === 'Local') return;
  throw new ComponentError(`The storage location ${location} is not available here. Please choose Local.`);
}
