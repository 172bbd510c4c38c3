import { MillraceError, ComponentError } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import { withoutSecrets } from '../http/service-error';
import { secretsOf } from './mcp-server';
import type { McpServer } from './mcp-server';

const maximumReasonCharacters = 500;

/** Returns the error for a failure of a server: with the server's name, without its secrets. */
export function mcpFailure(
  server: McpServer,
  problem: string,
  error: unknown,
  context: ComponentContext,
): Error {
  context.signal.throwIfAborted();
  if (error instanceof MillraceError) return error;
  const text =
    typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error);
  const reason = withoutSecrets(text, secretsOf(server));
  return new ComponentError(
    `The MCP server "${server.name}" ${problem}: ${reason.slice(0, maximumReasonCharacters)}`,
  );
}
