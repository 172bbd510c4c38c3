export const settingOptions: {
  readonly port: 'PORT';
  readonly host: 'HOST';
  readonly data: 'MILLRACE_DATA_DIRECTORY';
  readonly durability: 'MILLRACE_DURABILITY';
};
export const flags: readonly ('demo' | 'show-key' | 'new-key')[];
export interface Advice {
  /** How the process was started: the beginning of a command line to suggest. */
  readonly command: string;
  /** The additional options to run next to another Millrace with the same data folder. */
  readonly besidesAnother: string;
}
export function adviceFor(data: string | undefined): Advice;
export const usage: string;
