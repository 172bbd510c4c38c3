import { ComponentError, dictOf, isDict } from '@millrace/flow';
import { str } from '@millrace/python-text';
import type { PythonObject, PythonValue } from '@millrace/python-text';

/** Shorter texts, such as `-y`, are no credentials. */
const MAXIMUM_SHOWN_CHARACTERS = 3;

/** A server at a URL. */
export interface RemoteMcpServer {
  readonly kind: 'remote';
  readonly name: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Use the transport before Streamable HTTP at once, not only as a fallback. */
  readonly usesEvents: boolean;
}

/** A server that is a program on the executor's machine. */
export interface LocalMcpServer {
  readonly kind: 'local';
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

export type McpServer = RemoteMcpServer | LocalMcpServer;

/**
 * Reads how to connect to a server: `{ url, headers }` or `{ command, args, env }`, as Langflow and other clients of
 * the protocol write it. Null when it contains neither.
 */
export function readMcpServer(name: string, config: PythonObject): McpServer | null {
  const url = textOf(config['url']).trim();
  const command = textOf(config['command']).trim();
  if (command !== '') {
    const [program = '', ...args] = splitCommand(command);
    const further = Array.isArray(config['args']) ? (config['args'] as readonly PythonValue[]).map(str) : [];
    return {
      kind: 'local',
      name,
      command: program,
      args: [...args, ...further],
      environment: texts(config['env']),
    };
  }
  if (url === '') return null;
  if (!URL.canParse(url)) throw new ComponentError(`The URL of the MCP server "${name}" is not valid.`);
  const connection = `${textOf(config['transport'])}${textOf(config['type'])}${textOf(config['mode'])}`;
  return {
    kind: 'remote',
    name,
    url: new URL(url),
    headers: texts(config['headers']),
    usesEvents: /^sse$/i.test(connection),
  };
}

/**
 * Returns what must not be shown of a server, longest first, since one secret can be a part of another: headers,
 * environment and arguments; its address, with the path, the query and the password alone.
 */
export function secretsOf(server: McpServer): readonly string[] {
  const secrets =
    server.kind === 'local'
      ? [...Object.values(server.environment), ...server.args]
      : [...Object.values(server.headers).flatMap(headerSecrets), ...addressSecrets(server.url)];
  return secrets
    .filter((secret) => secret.length > MAXIMUM_SHOWN_CHARACTERS)
    .sort((one, other) => other.length - one.length);
}

/** Of "Bearer abc", the key alone is secret, too. */
function headerSecrets(value: string): readonly string[] {
  return [value, value.slice(value.indexOf(' ') + 1)];
}

/** Some services put the key into the path. */
function addressSecrets({ href, pathname, search, searchParams, password }: URL): readonly string[] {
  return [href, pathname, search, ...searchParams.values(), password, decoded(password)];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Reads names and texts: an object, rows of key and value, or lines of `NAME=value`. */
export function texts(value: PythonValue | undefined): Readonly<Record<string, string>> {
  if (value === undefined || value === null || value === '') return {};
  const items: readonly PythonValue[] = Array.isArray(value) ? value : [value];
  const pairs = items.flatMap((item): (readonly [string, PythonValue])[] => {
    if (typeof item !== 'string') return Object.entries(dictOf([item]));
    const at = item.indexOf('=');
    return at > 0 ? [[item.slice(0, at), item.slice(at + 1)] as const] : [];
  });
  return Object.fromEntries(
    pairs.filter(([key]) => key.trim() !== '').map(([key, item]) => [key, textOf(item)]),
  );
}

function textOf(value: PythonValue | undefined): string {
  return value === undefined || value === null ? '' : isDict(value) ? '' : str(value);
}

/** Splits a command line into words, with quotes and backslashes as in a shell; nothing else is interpreted. */
function splitCommand(line: string): readonly string[] {
  const words = line.matchAll(/(?:"(?:\\.|[^"\\])*"|'[^']*'|\\.|[^\s"'\\])+/gs);
  return [...words].map(([word]) => word.replace(/"((?:\\.|[^"\\])*)"|'([^']*)'|\\(.)/gs, unquoted));
}

function unquoted(_all: string, double?: string, single?: string, escaped?: string): string {
  return double?.replace(/\\(["\\])/g, '$1') ?? single ?? escaped ?? '';
}
