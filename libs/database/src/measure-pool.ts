import type { Metrics } from '@millrace/service';
import type { Pool } from 'pg';

/** Exports how many connections of a pool are used, and how many callers wait for one. */
export function measurePool(pool: Pool, maximumConnections: number, metrics: Metrics): void {
  metrics.gauge(
    'millrace_database_connections',
    'Connections of this process to the database, by state: busy or idle',
    () => [
      [pool.totalCount - pool.idleCount, { state: 'busy' }],
      [pool.idleCount, { state: 'idle' }],
    ],
  );
  metrics.gauge(
    'millrace_database_connections_maximum',
    'Maximum number of connections of this process to the database',
    () => maximumConnections,
  );
  metrics.gauge(
    'millrace_database_callers_waiting',
    'Callers in this process that wait for a connection to the database',
    () => pool.waitingCount,
  );
}
