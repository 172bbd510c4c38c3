/** Where Redis is: one server, a primary that Sentinels name, or the nodes of a cluster. */
export interface RedisAddress {
  readonly kind: 'server' | 'sentinel' | 'cluster';
  readonly isEncrypted: boolean;
  readonly hosts: readonly RedisHost[];
  readonly username: string | undefined;
  readonly password: string | undefined;
  /** The name under which the Sentinels know the primary; undefined for the other kinds. */
  readonly primary: string | undefined;
  readonly sentinelPassword: string | undefined;
  /** Number of the database; a cluster has only 0. */
  readonly database: number;
}

export interface RedisHost {
  readonly host: string;
  readonly port: number;
}

export const redisProtocols = [
  'redis',
  'rediss',
  'redis+sentinel',
  'rediss+sentinel',
  'redis+cluster',
  'rediss+cluster',
] as const;

const DEFAULT_PORTS = { server: 6379, sentinel: 26_379, cluster: 6379 } as const;
const FORM =
  /^redis(?<tls>s?)(?:\+(?<kind>sentinel|cluster))?:\/\/(?<user>[^/?#]*@)?(?<hosts>[^/?#]*)(?<path>\/[^?#]*)?(?<query>\?[^#]*)?$/iu;

/**
 * Reads an address of Redis. Throws an Error whose message continues "the address …". Forms, each with `rediss` for TLS:
 *
 * - `redis://user:password@host:6379/0`
 * - `redis+sentinel://user:password@host1:26379,host2:26379/<name of the primary>/0?sentinel_password=…`
 * - `redis+cluster://user:password@host1:6379,host2:6379`
 */
export function redisAddress(address: string): RedisAddress {
  const groups = FORM.exec(address.trim())?.groups;
  if (groups === undefined)
    throw new Error(
      URL.canParse(address)
        ? `must begin with ${redisProtocols.map((name) => `${name}://`).join(' or ')}`
        : 'is not a URL',
    );
  const kind = (groups['kind']?.toLowerCase() ?? 'server') as RedisAddress['kind'];
  const entries = (groups['hosts'] ?? '').split(',').map((entry) => entry.trim());
  if (kind === 'server' && entries.length > 1)
    throw new Error('names several hosts, which need redis+sentinel:// or redis+cluster://');
  const hosts = entries.map((entry, index) => readHost(entry, DEFAULT_PORTS[kind], index));
  const path = (groups['path'] ?? '').split('/').slice(1).map(decoded);
  const query = new URLSearchParams(groups['query'] ?? '');
  const [primary, number] = kind === 'sentinel' ? path : [undefined, path[0]];
  if (kind === 'sentinel' && (primary === undefined || primary === ''))
    throw new Error(
      'must end with the name of the primary: redis+sentinel://host1:26379,host2:26379/mymaster',
    );
  const database = number === undefined || number === '' ? Number(query.get('db') ?? 0) : Number(number);
  if (!Number.isInteger(database) || database < 0) throw new Error('has a database that is not a number');
  if (kind === 'cluster' && database !== 0)
    throw new Error('has a database, but a cluster has only number 0');
  const [username, password] = readUser(groups['user']);
  return {
    kind,
    isEncrypted: groups['tls'] !== '',
    hosts,
    username,
    password,
    primary,
    sentinelPassword: query.get('sentinel_password') ?? undefined,
    database,
  };
}

/** Returns the hosts of an address, without user and password, for log lines and messages. */
export function redisPlace(address: string): string {
  try {
    const { hosts, primary } = redisAddress(address);
    const names = hosts.map(({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`);
    return names.join(',') + (primary === undefined ? '' : `/${primary}`);
  } catch {
    return 'an unreadable address';
  }
}

function readHost(entry: string, defaultPort: number, index: number): RedisHost {
  const url = URL.parse(`tcp://${entry}`);
  const host = url?.hostname ?? '';
  if (url === null || host === '') throw new Error(`has no valid host at place ${index + 1}`);
  return { host: host.replace(/^\[(.*)\]$/u, '$1'), port: url.port === '' ? defaultPort : Number(url.port) };
}

/** A text without a colon is a user name, as in a URL. */
function readUser(user: string | undefined): [string | undefined, string | undefined] {
  if (user === undefined) return [undefined, undefined];
  const [name = '', ...password] = user.slice(0, -1).split(':');
  return [
    name === '' ? undefined : decoded(name),
    password.length === 0 ? undefined : decoded(password.join(':')),
  ];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
