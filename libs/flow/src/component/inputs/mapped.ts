import type { Input } from '../input';

/**
 * Returns the same input with a further conversion of its value. Example: a template is parsed once, when the flow is
 * compiled, and not in every run.
 */
export function mapped<From, To>(input: Input<From>, change: (value: From) => To): Input<To> {
  return {
    ...input,
    default: change(input.default),
    convert: (value, inputName) => change(input.convert(value, inputName)),
  };
}
