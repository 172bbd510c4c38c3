import type { RequestSchema } from '../../http/validation/request-schema';

/** Body of `POST` and `PATCH /api/v2/mcp/servers/{server_name}`: the connection settings of the server. */
export type McpServerBody = Readonly<Record<string, unknown>>;

export const mcpServerBodySchema: RequestSchema = {
  title: 'McpServer',
  type: 'object',
  'x-model': true,
  maxProperties: 100,
  properties: {
    command: { type: ['string', 'null'] },
    args: { type: ['array', 'null'], items: { type: 'string' } },
    env: { type: ['object', 'null'], additionalProperties: { type: 'string' } },
    headers: { type: ['object', 'null'], additionalProperties: { type: 'string' } },
    url: { type: ['string', 'null'] },
  },
};
