import type { Database } from '@millrace/database';
import type { Permission } from '@millrace/flow';
import { VectorStore } from '@millrace/runs';
import { createOutgoingDial } from '@millrace/service';
import type { OutgoingDial } from '@millrace/service';
import type { ExecutorSettings } from '../settings';

/** Where the resources of all runs of an executor come from. */
export interface ResourceProviders {
  readonly database: Database;
  readonly dial: OutgoingDial;
  readonly vectors: VectorStore;
  readonly permissions: ReadonlySet<Permission>;
}

export function resourceProviders(
  settings: Pick<ExecutorSettings, 'MILLRACE_MCP_STDIO' | 'MILLRACE_OUTGOING_ALLOW'>,
  { database }: { readonly database: Database },
): ResourceProviders {
  const dial = createOutgoingDial({ allow: settings.MILLRACE_OUTGOING_ALLOW });
  return {
    database,
    dial,
    vectors: new VectorStore({ database }),
    permissions: new Set(settings.MILLRACE_MCP_STDIO ? ['mcp-stdio' as const] : []),
  };
}
