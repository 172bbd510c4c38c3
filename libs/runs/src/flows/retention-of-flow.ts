import { flowSetting } from './flow-setting';

/**
 * Returns the SQL of the days for which a flow keeps rows of a kind; null when it has none of its own, or something else than a
 * number.
 */
export function retentionOfFlow(kind: 'runs' | 'messages' | 'vertexRecords' | 'files'): string {
  return `(SELECT CASE WHEN own.days ~ '^[0-9]{1,5}$' THEN own.days::int END
    FROM (SELECT ${flowSetting('retention')} ->> '${kind}' AS days) AS own)`;
}
