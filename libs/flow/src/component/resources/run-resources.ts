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

/** Permissions that an operator can grant to flows. */
export type Permission = 'mcp-stdio' | 'sql-writes';

/** Resources of the installation that the components of one run can use, besides models and network addresses. */
export interface InstallationResources {
  readonly files: RunFiles;
  readonly vectors: LocalVectors;
  readonly scripts: Scripts;
  readonly flows: SubFlows;
  readonly mcpServers: McpServers;
  /** Opens a TCP connection; the address rules of `fetch` apply. The caller closes the connection. */
  dial(target: DialTarget, signal: AbortSignal): Promise<Duplex>;
  isAllowed(permission: Permission): boolean;
}
