import type { PythonObject } from '@millrace/python-text';

/** The stored MCP servers of the run's user, which flows refer to by name. */
export interface McpServers {
  /** Returns the connection settings, `{ url, headers }` or `{ command, args, env }`; null for an unknown name. */
  find(name: string): Promise<PythonObject | null>;
}
