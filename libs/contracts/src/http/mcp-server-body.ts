import type { RequestSchema } from './request-schema';

/** Body of `POST` and `PATCH /api/v2/mcp/servers/{server_name}`: how the server is reached. */
export type McpServerBody = Readonly<Record<string, unknown>>;

export const mcpServerBodySchema: RequestSchema = { type: 'object', maxProperties: 100 };
