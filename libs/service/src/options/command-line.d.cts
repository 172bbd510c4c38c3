export interface CommandLineOption {
  readonly type: 'string' | 'boolean';
  readonly default?: string;
  /** Throws an Error whose message ends the sentence "--port …". */
  readonly parse?: (text: string) => unknown;
}

export interface CommandLineDescription {
  readonly usage: string;
  readonly options: Readonly<Record<string, CommandLineOption>>;
  /** Allowed number of positional arguments; none unless given. */
  readonly positionals?: { readonly minimum?: number; readonly maximum?: number };
  /** The command line's words; those of this process unless given. */
  readonly words?: readonly string[];
}

export function readCommandLine(description: CommandLineDescription): {
  readonly values: Readonly<Record<string, unknown>>;
  readonly positionals: readonly string[];
};
