import { announcedEncryptionKeys } from '@millrace/dispatch';
import { openKeyValueStore } from '@millrace/key-value';
import type { KeyValueStore } from '@millrace/key-value';
import { createLogger, readSettings, serverTls } from '@millrace/service';
import type { Environment } from '@millrace/service';
import { standaloneSettings } from '@millrace/standalone';
import { reasonOf } from '../client/reason-of';
import { CliError } from '../cli-error';

const CONNECT_MILLISECONDS = 5_000;

/** The processes of the services that announce themselves, and those of them without a key. */
export interface KeyHolders {
  readonly all: number;
  readonly without: readonly string[];
}

/** Asks Redis which processes have the key with this id; resolves to null without REDIS_URL. Throws CliError. */
export async function keyHolders(keyId: string, environment: Environment): Promise<KeyHolders | null> {
  const settings = readSettings(standaloneSettings, environment);
  if (settings.REDIS_URL === undefined) return null;
  const keyValue = await openKeyValueStore({
    url: settings.REDIS_URL,
    tls: serverTls(settings).keyValue,
    prefix: settings.MILLRACE_PREFIX,
    logger: createLogger({ name: 'millrace', level: 'silent' }),
    name: 'millrace-cli',
  });
  try {
    const processes = await announced(keyValue);
    const without = processes.filter(({ keys }) => !keys.includes(keyId)).map(({ process }) => process);
    return { all: processes.length, without: without.toSorted() };
  } catch (error) {
    const sentence = `Redis does not answer, so it is unknown whether all services have the key: ${reasonOf(error)}`;
    throw new CliError('unavailable', sentence, error);
  } finally {
    await keyValue.close();
  }
}

/** The first call can come before the connection. */
async function announced(keyValue: KeyValueStore) {
  const giveUpAt = performance.now() + CONNECT_MILLISECONDS;
  for (;;)
    try {
      return await announcedEncryptionKeys(keyValue);
    } catch (error) {
      if (performance.now() >= giveUpAt) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
}
