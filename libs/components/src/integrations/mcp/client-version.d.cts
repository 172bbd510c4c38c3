/** Version of this software, which MCP servers see. */
export const version: string;
