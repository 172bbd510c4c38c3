import { MillraceError, ComponentError } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import { withoutSecrets } from '../http/service-error';
import type { McpServer } from './mcp-server';

const longestReason = 500;

/** The error to throw when something with a server went wrong: names it, and repeats none of its secrets. */
export function mcpFailure(
  server: McpServer,
  what: string,
  error: unknown,
  context: ComponentContext,
): Error {
  context.signal.throwIfAborted();
  if (error instanceof MillraceError) return error;
  const said =
    typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error);
  const reason = withoutSecrets(said, secretsOf(server));
  return new ComponentError(`The MCP server "${server.name}" ${what}: ${reason.slice(0, longestReason)}`);
}

/** Longest first, since one may be a part of another. */
function secretsOf(server: McpServer): readonly string[] {
  const secrets =
    server.kind === 'local'
      ? [...Object.values(server.environment), ...server.args]
      : [...Object.values(server.headers), server.url.href, server.url.search, server.url.password];
  return secrets.filter((secret) => secret.length > 3).sort((one, other) => other.length - one.length);
}
