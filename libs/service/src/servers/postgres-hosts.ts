/** Which host of several takes the connections, in the words of libpq. */
export type PostgresTarget = (typeof targets)[number];

const targets = ['any', 'read-write', 'primary', 'standby'] as const;

export interface PostgresHosts {
  /** One URL for each host, in the order of the address, without `target_session_attrs`. */
  readonly urls: readonly [string, ...string[]];
  /** Undefined when the address names no target. */
  readonly target: PostgresTarget | undefined;
}

const FORM = /^(?<scheme>[a-z][\w+.-]*:\/\/)(?<user>[^/?#]*@)?(?<hosts>[^/?#]*)(?<rest>[/?#].*)?$/isu;

/**
 * Splits an address of PostgreSQL that can name several hosts, as in libpq:
 * `postgres://user:password@host1:5432,host2:5432/database?target_session_attrs=read-write`. Throws an Error whose
 * message continues "the address …".
 */
export function postgresHosts(address: string): PostgresHosts {
  const { scheme = '', user = '', hosts = '', rest = '' } = FORM.exec(address)?.groups ?? {};
  const entries = hosts.split(',').map((host) => host.trim());
  const urls = entries.map((host, index) => {
    const url = URL.parse(`${scheme}${user}${host}${rest}`);
    if (url === null || (entries.length > 1 && url.hostname === ''))
      throw new Error(entries.length === 1 ? 'is not a URL' : `has no valid host at place ${index + 1}`);
    return url;
  });
  const [first, ...others] = urls;
  if (first === undefined) throw new Error('is not a URL');
  const target = first.searchParams.get('target_session_attrs') ?? undefined;
  const known = targets.find((one) => one === target);
  if (target !== undefined && known === undefined)
    throw new Error(
      `has target_session_attrs=${target.slice(0, 40)}, which must be any, read-write or primary (or standby, for a replica)`,
    );
  if (first.searchParams.get('host')?.includes(','))
    throw new Error('must name several hosts before the database: host1:5432,host2:5432/database');
  return { urls: [withoutTarget(first), ...others.map(withoutTarget)], target: known };
}

/** Returns the hosts and the database of an address, without user and password, for log lines and messages. */
export function postgresPlace(address: string): string {
  try {
    const urls = postgresHosts(address).urls.map((url) => new URL(url));
    const hosts = urls.map(({ hostname, port }) => `${hostname}:${port === '' ? '5432' : port}`);
    return `${hosts.join(',')}${urls[0]?.pathname ?? ''}`;
  } catch {
    return 'an unreadable address';
  }
}

function withoutTarget(url: URL): string {
  // Only when it is there: writing the parameters encodes them anew.
  if (url.searchParams.has('target_session_attrs')) url.searchParams.delete('target_session_attrs');
  return url.href;
}
