import { createMetrics } from '@millrace/service';
import { measurePool } from './measure-pool';

test('the connections of a pool are exported, and the callers that wait for one', async () => {
  const metrics = createMetrics();
  measurePool({ totalCount: 5, idleCount: 2, waitingCount: 4 } as never, 10, metrics);
  const lines = (await metrics.prometheusText()).split('\n');
  for (const line of [
    'millrace_database_connections{state="busy"} 3',
    'millrace_database_connections{state="idle"} 2',
    'millrace_database_connections_maximum 10',
    'millrace_database_callers_waiting 4',
  ])
    expect(lines).toContain(line);
});
