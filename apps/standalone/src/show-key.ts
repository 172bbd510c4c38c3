import { StartError } from '@millrace/service';
import type { StoredApiKey } from './stored-api-key';

export interface ShownKey {
  readonly exitCode: number;
  /** For standard output: only the key. */
  readonly output: string;
  /** For standard error: why no key is shown. */
  readonly reason: string;
}

/** Returns the output of `--show-key`. Only reads the data folder, so a running server is not affected. */
export function showKey(kept: StoredApiKey, command: string): ShownKey {
  try {
    const key = kept.read();
    const advice = `create one with ${command} --new-key (stop the running server first)`;
    if (key === null) return withoutKey(`no API key is stored in ${kept.file}; ${advice}`);
    if (kept.isRefused) return withoutKey(`the stored API key was deleted or is no longer valid; ${advice}`);
    return { exitCode: 0, output: key, reason: '' };
  } catch (error) {
    // The file belongs to another user.
    if (error instanceof StartError) return withoutKey(error.message);
    throw error;
  }
}

function withoutKey(reason: string): ShownKey {
  return { exitCode: 1, output: '', reason };
}
