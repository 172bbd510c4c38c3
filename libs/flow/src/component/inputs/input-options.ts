import type { Input } from '../input';

/** What every kind of input may say about itself. */
export interface InputOptions {
  readonly displayName?: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly advanced?: boolean;
  /** A language model that uses the component as a tool gives this value. */
  readonly tool?: boolean;
  /** What a wire may bring, where it differs from the kind's own. */
  readonly inputTypes?: readonly string[];
}

type Described = Partial<
  Pick<Input<unknown>, 'displayName' | 'description' | 'required' | 'advanced' | 'tool'>
>;

/** The members of `options` that an input carries unchanged; what is absent stays absent. */
export function described(options: InputOptions): Described {
  const { displayName, description, required, advanced, tool } = options;
  return {
    ...(displayName === undefined ? {} : { displayName }),
    ...(description === undefined ? {} : { description }),
    ...(required === undefined ? {} : { required }),
    ...(advanced === undefined ? {} : { advanced }),
    ...(tool === undefined ? {} : { tool }),
  };
}
