import { canaries } from './canaries';
import { describeSecrets } from './describe-secrets';
import { startTestSystem } from './test-system';

describeSecrets('scaled', async (environment) => {
  const system = await startTestSystem({
    environment,
    route: async (urls) => {
      const database = new URL(urls.database);
      // The servers of the tests trust every password.
      database.password = canaries.database;
      return { ...urls, database: database.href };
    },
  });
  const processes = [system.ingest, ...system.executors];
  const addresses = processes.map(
    ({ ready }) => `http://127.0.0.1:${String(ready['healthPort'] ?? ready['port'])}`,
  );
  let isStopped = false;
  return {
    url: system.url,
    key: system.key,
    lines: system.lines,
    metrics: [system.url, ...addresses].map((address) => `${address}/metrics`),
    stop: async () => {
      if (isStopped) return [];
      isStopped = true;
      const texts: string[] = [];
      for (const rows of [
        'SELECT body::text AS text FROM run_traces',
        'SELECT failure::text AS text FROM runs WHERE failure IS NOT NULL',
        'SELECT row_to_json(audit_entries)::text AS text FROM audit_entries',
      ])
        for (const { text } of (await system.database.query<{ text: string }>(rows)).rows) texts.push(text);
      await system.stop();
      return [{ name: 'rows of records, failures and audit', texts, except: ['webhookBody'] }];
    },
  };
});
