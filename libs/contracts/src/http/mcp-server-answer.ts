import { anyObject, closed, listOf, orNull, text, whole } from './answer-schema';

/** How a stored MCP server is reached, as it was written; null when there is none. */
export const mcpServerSchema = orNull(anyObject);

/** The stored MCP servers. How many tools they have is not known before a flow asks them. */
export const mcpServersSchema = listOf(closed({ name: text, mode: orNull(text), toolsCount: orNull(whole) }));
