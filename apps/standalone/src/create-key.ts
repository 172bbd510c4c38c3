import { keyCreated } from '@millrace/gateway';
import { systemActor } from '@millrace/runs';
import type { ApiKeyStore, AuditLog, NewApiKey } from '@millrace/runs';

/** Creates a key without a request, and records it. Resolves to the key. */
export function createKey(
  { apiKeys, audit }: { readonly apiKeys: ApiKeyStore; readonly audit: AuditLog },
  userId: string,
  wanted: NewApiKey,
): Promise<string> {
  return audit.change(systemActor, async (change) => {
    const { record, key, isNew } = await apiKeys.within(change).create(userId, wanted);
    if (isNew) change.note(keyCreated(record));
    return key;
  });
}
