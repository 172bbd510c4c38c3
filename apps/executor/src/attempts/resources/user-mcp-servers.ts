import type { McpServers } from '@millrace/flow';
import type { McpServerStore } from '@millrace/runs';
import { parsePythonJson } from '@millrace/python-text';
import type { PythonObject } from '@millrace/python-text';

/** The stored MCP servers of one user. */
export class UserMcpServers implements McpServers {
  readonly #store: McpServerStore;
  readonly #userId: string;

  constructor(store: McpServerStore, userId: string) {
    this.#store = store;
    this.#userId = userId;
  }

  async find(name: string): Promise<PythonObject | null> {
    const config = await this.#store.find(this.#userId, name);
    return config === null ? null : (parsePythonJson(JSON.stringify(config)) as PythonObject);
  }
}
