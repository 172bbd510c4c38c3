import type { Input } from '../input';
import type { TextOptions } from './text';
import { text } from './text';

export interface SecretOptions extends TextOptions {
  /** The variable that the component uses when the value is empty. */
  readonly variable?: string;
}

/** A text that is never shown, usually the name of a stored variable that contains it. */
export function secret(options: SecretOptions = {}): Input<string> {
  return {
    ...text(options),
    kind: 'Secret',
    password: true,
    inputTypes: options.inputTypes ?? [],
    ...(options.variable === undefined ? {} : { variable: options.variable }),
  };
}
