import { ComponentError, isDict } from '@millrace/flow';
import { Data, str } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';
import { isAddress } from './is-address';

/** The address of a request: as it is called, and as an author wrote it. */
export interface RequestAddress {
  readonly url: URL;
  readonly source: string;
}

/**
 * Returns the address of a request with additional parameters, which replace those of the same name. Throws for an
 * invalid address.
 */
export function requestAddress(text: string, parameters: PythonValue): RequestAddress {
  const trimmed = text.trim();
  if (trimmed === '') throw new ComponentError('URL cannot be empty');
  const address = /^https?:\/\//.test(trimmed) ? trimmed : `https://${trimmed}`;
  if (!isAddress(address) || !URL.canParse(address))
    throw new ComponentError(`Invalid URL provided: ${address}`);
  const url = new URL(address);
  const added = [...parametersOf(parameters)];
  for (const [name, value] of added) url.searchParams.set(name, value);
  return { url, source: added.length === 0 ? address : url.href };
}

function parametersOf(value: PythonValue): Iterable<readonly [string, string]> {
  if (typeof value === 'string') return new URLSearchParams(value);
  // As in Langflow, which takes the parameters of one item.
  if (Array.isArray(value) && value.length > 0)
    throw new ComponentError("'list' object has no attribute 'data'", undefined, { kind: 'AttributeError' });
  const named = value instanceof Data ? value.data : value;
  return isDict(named) ? Object.entries(named).map(([name, one]) => [name, str(one)] as const) : [];
}
