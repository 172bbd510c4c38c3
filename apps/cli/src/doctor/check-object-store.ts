import { randomUUID } from 'node:crypto';
import { openObjectStore } from '@millrace/runs';
import { reasonOf } from '../client/reason-of';
import type { Findings } from './finding';

/** Checks that the object store takes, returns and deletes an object: also its address, credentials and permissions. */
export async function checkObjectStore(url: string | undefined, findings: Findings): Promise<void> {
  const objects = openObjectStore({ url });
  if (objects === null) return findings.fact('files in the database');
  const key = `doctor/${randomUUID()}`;
  try {
    await objects.upload(key, once(Buffer.from(key)));
    const stored = await objects.read(key, 0, key.length);
    if (stored?.toString() !== key) throw new Error('it does not return what was stored');
    await objects.list('doctor/', null);
    await objects.delete(key);
    findings.fact(`object store ${objects.title}`);
  } catch (error) {
    findings.error(
      'object_store_unavailable',
      `Objects cannot be stored, read, listed or deleted in ${objects.title}: ${reasonOf(error)}`,
      'Check MILLRACE_OBJECT_STORE_URL, that the bucket exists, the key and its permissions.',
    );
  } finally {
    await objects.close();
  }
}

async function* once(content: Buffer): AsyncGenerator<Buffer> {
  yield content;
}
