import type { Database } from '@millrace/database';
import type { Permission } from '@millrace/flow';
import { BudgetStore, EffectStore, FileStore, McpServerStore, VectorStore } from '@millrace/runs';
import type { Encryption } from '@millrace/runs';
import { ScriptPool } from '@millrace/scripts';
import { createOutgoingDial, fixedLimits, langflowRelease } from '@millrace/service';
import type { LangflowRelease, OutgoingDial } from '@millrace/service';
import type { ExecutorSettings } from '../../settings';

/** The sources of the resources of all runs of an executor. */
export interface ResourceProviders {
  readonly database: Database;
  readonly dial: OutgoingDial;
  readonly effects: EffectStore;
  readonly budgets: BudgetStore;
  readonly files: FileStore;
  readonly vectors: VectorStore;
  readonly scripts: ScriptPool;
  readonly mcpServers: McpServerStore;
  readonly permissions: ReadonlySet<Permission>;
  readonly langflow: LangflowRelease;
  /** Stops the threads of scripts. Can be called twice. */
  close(): Promise<void>;
}

type ResourceSettings = Pick<
  ExecutorSettings,
  'MILLRACE_OUTGOING_ALLOW' | 'MILLRACE_MCP_STDIO' | 'MILLRACE_SQL_WRITES' | 'MILLRACE_COMPATIBILITY'
>;

interface ResourceParts {
  readonly database: Database;
  readonly encryption: Encryption;
  /** All files are in the database unless given. */
  readonly files?: FileStore;
}

export function resourceProviders(
  settings: ResourceSettings,
  { database, encryption, files = new FileStore({ database }) }: ResourceParts,
): ResourceProviders {
  const dial = createOutgoingDial({ allow: settings.MILLRACE_OUTGOING_ALLOW });
  const scripts = new ScriptPool({
    maximumMilliseconds: fixedLimits.scriptMilliseconds,
    maximumMemoryBytes: fixedLimits.scriptMemoryBytes,
  });
  return {
    database,
    dial,
    effects: new EffectStore({ database, encryption }),
    budgets: new BudgetStore({ database }),
    files,
    vectors: new VectorStore({ database }),
    scripts,
    mcpServers: new McpServerStore({ database, encryption }),
    permissions: permissions(settings),
    langflow: langflowRelease(settings.MILLRACE_COMPATIBILITY),
    close: () => scripts.close(),
  };
}

/** Returns the permissions that the operator has granted to flows. */
function permissions(
  settings: Pick<ResourceSettings, 'MILLRACE_MCP_STDIO' | 'MILLRACE_SQL_WRITES'>,
): ReadonlySet<Permission> {
  const granted = new Set<Permission>();
  if (settings.MILLRACE_MCP_STDIO) granted.add('mcp-stdio');
  if (settings.MILLRACE_SQL_WRITES) granted.add('sql-writes');
  return granted;
}
