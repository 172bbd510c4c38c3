import { HttpError } from '@millrace/http';
import type { McpServerConfig } from '@millrace/runs';
import { isRecord } from '../../http/bodies/parse-json';
import { valueError } from '../../http/validation/validation-items';

/** What an answer shows in place of a credential. */
const MASK = '********';
const SECRET_MAPS = ['env', 'headers'] as const;
const COMMANDS = ['bash', 'cmd', 'docker', 'node', 'npx', 'python', 'python3', 'sh', 'uvx'];
/** A name, or a path whose folders may have spaces. */
const EXECUTABLE = /^(?:[^\s/\\]*[/\\](?:[^/\\\n\r\t\f\v]*[/\\])*)?[^\s/\\]+$/;

/** Throws invalid_request for a command that is no program by itself, or not one that Langflow starts. */
export function checkCommand(config: McpServerConfig): void {
  const { command } = config;
  if (typeof command !== 'string' || command === '') return;
  const name = command.slice(Math.max(command.lastIndexOf('/'), command.lastIndexOf('\\')) + 1);
  const base = /\.exe$/i.test(name) ? name.slice(0, -4) : name;
  const problem = EXECUTABLE.test(command)
    ? `Command '${base}' is not allowed for security reasons. Allowed commands: ${COMMANDS.join(', ')}`
    : "MCP stdio command must be a single executable name or path; put options and arguments in the 'args' field";
  if (!EXECUTABLE.test(command) || !COMMANDS.includes(base))
    throw new HttpError('invalid_request', [valueError(['body'], config, problem)]);
}

/** Returns a configuration without the name that its address has. Throws invalid_request for another name. */
export function withoutName(config: McpServerConfig, server: string): McpServerConfig {
  if (!Object.hasOwn(config, 'name')) return config;
  const { name, ...others } = config;
  if (name === server) return others;
  const message =
    `Server name is immutable and is determined by the URL path ('${server}'); it cannot be set or changed via the ` +
    `request body (got '${String(name)}'). To rename a server, delete it and create a new one.`;
  throw new HttpError('invalid_request', message);
}

/** Returns a configuration whose credentials are masked: the values of `env` and `headers`, and of `--headers` in `args`. */
export function maskedConfig(config: McpServerConfig): McpServerConfig {
  return withSecrets(config, (value) => (value === '' ? value : MASK));
}

/**
 * Returns a configuration in which a masked credential is the stored one again. Throws invalid_request for a mask without a
 * stored credential.
 */
export function restoredConfig(config: McpServerConfig, stored: McpServerConfig | null): McpServerConfig {
  const known = new Map<string, string>();
  withSecrets(stored ?? {}, (value, place) => {
    known.set(place, value);
    return value;
  });
  return withSecrets(config, (value, place) => {
    if (value !== MASK) return value;
    const secret = known.get(place);
    if (secret !== undefined) return secret;
    const message = place.startsWith('args')
      ? 'A redacted MCP argument can only preserve an existing header value.'
      : 'A redacted MCP credential can only preserve an existing value.';
    throw new HttpError('invalid_request', message);
  });
}

function withSecrets(
  config: McpServerConfig,
  change: (value: string, place: string) => string,
): McpServerConfig {
  const changed: Record<string, unknown> = { ...config };
  for (const map of SECRET_MAPS) {
    const values = config[map];
    if (!isRecord(values)) continue;
    changed[map] = Object.fromEntries(
      Object.entries(values).map(([key, value]) => [key, change(String(value), `${map} ${key}`)]),
    );
  }
  const { args } = config;
  if (!Array.isArray(args)) return changed;
  const counts = new Map<string, number>();
  const texts = args.map(String);
  changed['args'] = texts.map((text, index) => {
    if (index < 2 || texts[index - 2] !== '--headers') return text;
    const name = (texts[index - 1] ?? '').toLowerCase();
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return change(text, `args ${name} ${count}`);
  });
  return changed;
}
