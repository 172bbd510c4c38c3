import { RefusedSignIns } from '@millrace/access';
import type { Database } from '@millrace/database';
import { AuditLog } from '@millrace/runs';
import { createLogger, createMetrics } from '@millrace/service';

const logger = createLogger({ name: 'ingest-test', level: 'silent' });

/** Returns what ingest needs of the audit log. */
export function testAudit(database: Database) {
  const audit = new AuditLog({ database, logger });
  const refusedSignIns = new RefusedSignIns({ audit, logger, metrics: createMetrics() });
  return { audit, refusedSignIns };
}
