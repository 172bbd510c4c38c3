import type { Permission } from '@millrace/flow';
import type { ExecutorSettings } from '../../settings';

export type PermissionSettings = Pick<ExecutorSettings, 'MILLRACE_MCP_STDIO' | 'MILLRACE_SQL_WRITES'>;

/** Returns the permissions that the operator has granted to flows. */
export function permissions(settings: PermissionSettings): ReadonlySet<Permission> {
  const granted = new Set<Permission>();
  if (settings.MILLRACE_MCP_STDIO) granted.add('mcp-stdio');
  if (settings.MILLRACE_SQL_WRITES) granted.add('sql-writes');
  return granted;
}
