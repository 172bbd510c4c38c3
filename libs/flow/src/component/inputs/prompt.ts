import type { Input } from '../input';
import type { InputOptions } from './input-options';
import { text } from './text';

/** A template with named variables. Its text is used as saved: a backslash followed by n stays two characters. */
export function prompt(options: InputOptions & { readonly default?: string } = {}): Input<string> {
  return { ...text(options), kind: 'Prompt', inputTypes: options.inputTypes ?? [] };
}
