import { ComponentError } from '@millrace/flow';
import type { PythonSource } from '@millrace/flow';

/** A surrogate without its other half: with the flag, pairs are one character. */
const loneSurrogate = /\p{Surrogate}/u;
const checked = new WeakSet<PythonSource>();

/** Throws a ComponentError for a text that is not well-formed Unicode: no file and no hash can have it. */
export function checkText(source: PythonSource): void {
  if (checked.has(source) || 'module' in source) return;
  const found = loneSurrogate.exec(source.text);
  if (found !== null) {
    const line = source.text.slice(0, found.index).split('\n').length;
    throw new ComponentError(
      `The code of the component is not well-formed Unicode: line ${line} contains half of a surrogate pair.`,
    );
  }
  checked.add(source);
}
