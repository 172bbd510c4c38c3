import type { Input } from '../input';
import type { InputOptions } from './input-options';
import { text } from './text';

/** Source code written by the flow's author. It is never executed as Python. */
export function code(options: InputOptions & { readonly default?: string } = {}): Input<string> {
  return { ...text(options), kind: 'Code', inputTypes: options.inputTypes ?? [] };
}
