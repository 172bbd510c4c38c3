import { StartError } from '@millrace/service';
import type { KeptKey } from './kept-key';

export interface ShownKey {
  readonly exitCode: number;
  /** For standard output: the key and nothing else. */
  readonly output: string;
  /** For standard error: why there is no key to show. */
  readonly reason: string;
}

/** What `--show-key` prints. Only reads the data folder: a server that runs there is not disturbed. */
export function showKey(kept: KeptKey, command: string): ShownKey {
  try {
    const key = kept.read();
    const cure = `${command} --new-key makes one (stop the running server first)`;
    if (key === null) return withoutKey(`no API key is kept in ${kept.file}; ${cure}`);
    if (kept.isRefused)
      return withoutKey(`the API key that was kept was deleted or is not valid any more; ${cure}`);
    return { exitCode: 0, output: key, reason: '' };
  } catch (error) {
    // A file of another user.
    if (error instanceof StartError) return withoutKey(error.message);
    throw error;
  }
}

function withoutKey(reason: string): ShownKey {
  return { exitCode: 1, output: '', reason };
}
