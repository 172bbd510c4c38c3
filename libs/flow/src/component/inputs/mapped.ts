import type { Input } from '../input';

/**
 * The same input, its value changed once more: a template that is taken apart when a flow is compiled is not taken
 * apart again in every run.
 */
export function mapped<From, To>(input: Input<From>, change: (value: From) => To): Input<To> {
  return {
    ...input,
    default: change(input.default),
    convert: (value, inputName) => change(input.convert(value, inputName)),
  };
}
