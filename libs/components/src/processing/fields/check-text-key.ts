import { ComponentError } from '@millrace/flow';
import type { Data } from '@millrace/python-text';

/** Throws when the text key is not one of the keys of `data`. */
export function checkTextKey({ data }: Data, textKey: string): void {
  if (Object.hasOwn(data, textKey)) return;
  throw new ComponentError(
    `Text Key: '${textKey}' not found in the Data keys: '${Object.keys(data).join(', ')}'`,
  );
}
