import { systemActor } from '@millrace/runs';
import { createMetrics } from '@millrace/service';
import { until } from '@millrace/service/testing';
import { openTestIngest } from '../testing/test-ingest';

test('entries of the audit log are deleted after their own retention period, and counted', async () => {
  const metrics = createMetrics();
  const settings = { MILLRACE_RUN_RETENTION_DAYS: 7, MILLRACE_AUDIT_RETENTION_DAYS: 0 };
  const ingest = await openTestIngest({ settings, metrics, pruneIntervalMilliseconds: 20 });
  try {
    const entry = { action: 'file.deleted', objectId: 'a', actor: systemActor } as const;
    await ingest.audit.record([entry, entry]);
    const line = /^millrace_records_pruned_total\{kind="audit_entries"\} 2$/m;
    await until(async () => line.test(await metrics.prometheusText()));
    expect(await ingest.audit.list({ limit: 10 })).toEqual([]);
    expect(await ingest.audit.chain()).toMatchObject({ head: { position: 2 }, pruned: { position: 2 } });
  } finally {
    await ingest.close();
  }
}, 60_000);

test('messages are deleted after the days of their flow, and counted', async () => {
  const metrics = createMetrics();
  const ingest = await openTestIngest({ metrics, pruneIntervalMilliseconds: 20 });
  try {
    const flowId = await ingest.newFlow('short-lived', { retention: { messages: 5 } });
    await ingest.database.query({
      text: `INSERT INTO messages (id, flow_id, user_id, timestamp, session_id, context_id, sender, sender_name, body)
        SELECT gen_random_uuid(), $1, $2, now() - n * interval '1 day', 's', '', 'User', 'User', '{}' FROM generate_series(4, 6, 2) AS n`,
      values: [flowId, ingest.userId],
    });
    // The first passes found nothing to do.
    await ingest.database.query({ text: 'UPDATE retention_passes SET due_at = now()' });
    const line = /^millrace_records_pruned_total\{kind="messages"\} 1$/m;
    await until(async () => line.test(await metrics.prometheusText()));
  } finally {
    await ingest.close();
  }
}, 60_000);
