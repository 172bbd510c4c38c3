export const settingOptions: {
  readonly port: 'PORT';
  readonly host: 'HOST';
  readonly data: 'MILLRACE_DATA_DIRECTORY';
  readonly durability: 'MILLRACE_DURABILITY';
};
export const flags: readonly ('demo' | 'show-key' | 'new-key')[];
export interface Advice {
  /** How the process was started: begins a command line to try instead. */
  readonly command: string;
  /** The options that it needs beside another Millrace of the same data folder. */
  readonly besidesAnother: string;
}
export function adviceFor(data: string | undefined): Advice;
export const usage: string;
