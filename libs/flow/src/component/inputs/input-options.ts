import type { Input } from '../input';

/** Options that every kind of input accepts. */
export interface InputOptions {
  readonly displayName?: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly advanced?: boolean;
  /** A language model that calls the component as a tool provides this value. */
  readonly tool?: boolean;
  /** The types that an edge can deliver, if they differ from those of the kind. */
  readonly inputTypes?: readonly string[];
}

type CommonInputMembers = Partial<
  Pick<Input<unknown>, 'displayName' | 'description' | 'required' | 'advanced' | 'tool'>
>;

/** Returns the members of `options` that an input takes over unchanged; absent ones stay absent. */
export function commonInputMembers(options: InputOptions): CommonInputMembers {
  const { displayName, description, required, advanced, tool } = options;
  return {
    ...(displayName === undefined ? {} : { displayName }),
    ...(description === undefined ? {} : { description }),
    ...(required === undefined ? {} : { required }),
    ...(advanced === undefined ? {} : { advanced }),
    ...(tool === undefined ? {} : { tool }),
  };
}
