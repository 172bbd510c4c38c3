import { ComponentError } from '@millrace/flow';

/** Files are where Millrace keeps them; a flow saved without a choice means just that. Throws for any other place. */
export function requireLocalStorage([location = 'Local']: readonly string[]): void {
  if (location === 'Local') return;
  throw new ComponentError(`The storage location ${location} is not available here. Please choose Local.`);
}
