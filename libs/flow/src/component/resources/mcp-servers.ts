import type { PythonObject } from '../../values/python-value';

/** The MCP servers that the run's user has stored, which flows name. */
export interface McpServers {
  /** How it is reached: `{ url, headers }` or `{ command, args, env }`. Null for a name nobody stored. */
  find(name: string): Promise<PythonObject | null>;
}
