export const settingOptions: {
  readonly port: 'PORT';
  readonly host: 'HOST';
  readonly data: 'MILLRACE_DATA_DIRECTORY';
};
export const flags: readonly ('demo' | 'show-key' | 'new-key')[];
export function commandFor(data: string | undefined): string;
export const usage: string;
