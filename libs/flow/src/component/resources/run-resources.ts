import type { Duplex } from 'node:stream';
import type { LocalVectors } from './local-vectors';
import type { McpServers } from './mcp-servers';
import type { RunFiles } from './run-files';
import type { Scripts } from './scripts';
import type { SubFlows } from './sub-flows';

export interface DialTarget {
  readonly host: string;
  readonly port: number;
}

/** What an operator can switch on for flows. */
export type Permission = 'mcp-stdio' | 'sql-writes';

/** What an installation lends to the components of one run, besides models and addresses on the net. */
export interface RunResources {
  readonly files: RunFiles;
  readonly vectors: LocalVectors;
  readonly scripts: Scripts;
  readonly flows: SubFlows;
  readonly mcpServers: McpServers;
  /** A TCP connection, under the same rules of addresses as `fetch`. Whoever asks ends it. */
  dial(target: DialTarget, signal: AbortSignal): Promise<Duplex>;
  isAllowed(permission: Permission): boolean;
}
