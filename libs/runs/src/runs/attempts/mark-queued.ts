import { integerArray, uuidArray } from '@millrace/database';
import type { Queryable } from '@millrace/database';
import type { ConfirmedMessage } from '../swept-run';

// A confirmation can arrive after the attempt that its message started has failed: the run is accepted again and waits for its
// next attempt, whose message is not published yet.
const MARK_QUEUED = {
  name: 'runs-mark-queued',
  text: `UPDATE runs SET status = 'queued', queued_at = now() WHERE id = ANY(ARRAY(
    SELECT runs.id FROM unnest($1::uuid[], $2::int[]) AS confirmed (id, attempt)
    JOIN runs ON runs.id = confirmed.id AND runs.attempt = confirmed.attempt AND runs.status = 'accepted'
    FOR UPDATE OF runs SKIP LOCKED))`,
};

/**
 * Marks runs whose messages the broker has confirmed. Runs that have had an attempt since the message was published, or that are
 * locked by others, stay unchanged.
 */
export async function markQueued(database: Queryable, messages: readonly ConfirmedMessage[]): Promise<void> {
  if (messages.length === 0) return;
  const ids = messages.map(({ runId }) => runId);
  const attempts = messages.map(({ attempt }) => attempt);
  await database.query({ ...MARK_QUEUED, values: [uuidArray(ids), integerArray(attempts)] });
}
