import { anyObject, closedObject, listOf, orNull, text, integer } from '@millrace/messages';

/** The connection settings of a stored MCP server, as stored; null for an unknown one. */
export const mcpServerSchema = orNull(anyObject);

/** The stored MCP servers. The number of tools is unknown until a flow lists them. */
export const mcpServersSchema = listOf(
  closedObject({ name: text, mode: orNull(text), toolsCount: orNull(integer) }),
);
