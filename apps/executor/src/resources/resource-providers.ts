import type { Database } from '@millrace/database';
import type { Permission } from '@millrace/flow';
import type { ExecutorSettings } from '../settings';

/** Where the resources of all runs of an executor come from. */
export interface ResourceProviders {
  readonly database: Database;
  readonly permissions: ReadonlySet<Permission>;
}

export function resourceProviders(
  settings: Pick<ExecutorSettings, 'MILLRACE_MCP_STDIO'>,
  { database }: { readonly database: Database },
): ResourceProviders {
  return { database, permissions: new Set(settings.MILLRACE_MCP_STDIO ? ['mcp-stdio' as const] : []) };
}
