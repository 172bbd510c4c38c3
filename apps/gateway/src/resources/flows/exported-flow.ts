import type { ExportedFlow } from './export-flows';
import { withoutSecrets } from './without-secrets';

/** Members of a flow that have a meaning in this system only. */
const LOCAL_MEMBERS = new Set(['user_id', 'folder_id', 'version', 'settings', 'version_token']);

/** Returns the export of a flow's view: what another system needs to import it, without secrets. */
export function exportedFlow(flow: Readonly<Record<string, unknown>>): ExportedFlow {
  const kept = Object.entries(flow).filter(([name]) => !LOCAL_MEMBERS.has(name));
  return { ...Object.fromEntries(kept), data: withoutSecrets(flow['data']) };
}
