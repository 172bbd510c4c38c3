import { HttpError } from '@millrace/http';
import type { TriggerStore } from '@millrace/runs';

/** Throws too_many_triggers when the user has more than `limit` triggers, those that are about to be stored included. */
export async function refuseTooMany(
  store: TriggerStore,
  userId: string,
  { limit, more }: { readonly limit: number; readonly more: number },
): Promise<void> {
  if ((await store.count(userId)) + more <= limit) return;
  throw new HttpError('too_many_triggers', `The limit of ${limit} triggers of the user is reached.`);
}
