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
