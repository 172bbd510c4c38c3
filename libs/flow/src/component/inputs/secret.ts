import type { Input } from '../input';
import type { TextOptions } from './text';
import { text } from './text';

/** A text that is never shown, usually the name of a stored variable that holds it. */
export function secret(options: TextOptions = {}): Input<string> {
  return { ...text(options), kind: 'Secret', password: true, inputTypes: options.inputTypes ?? [] };
}
