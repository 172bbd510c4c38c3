import { ComponentError } from '@millrace/flow';
import type { Data } from '@millrace/python-text';

/** Throws when the text key is not one of the keys of `data`; the error has `quote` around the keys. */
export function checkTextKey({ data }: Data, textKey: string, quote: '' | "'"): void {
  if (Object.hasOwn(data, textKey)) return;
  const keys = `${quote}${Object.keys(data).join(', ')}${quote}`;
  throw new ComponentError(`Text Key: '${textKey}' not found in the Data keys: ${keys}`);
}
