import { ComponentError } from '@millrace/flow';

export type SqlDialect = 'postgresql' | 'mysql' | 'sqlite';

/** The address of a database and the credentials for it. */
export interface DatabaseAddress {
  readonly dialect: SqlDialect;
  readonly user: string;
  readonly password: string;
  readonly host: string;
  /** The port in the URL, otherwise the default port of the dialect. */
  readonly port: number;
  /** The database name; for SQLite the path of a file, empty for an in-memory database. */
  readonly database: string;
  readonly options: ReadonlyMap<string, string>;
}

const dialects: Readonly<Record<string, readonly [SqlDialect, number]>> = {
  postgresql: ['postgresql', 5432],
  postgres: ['postgresql', 5432],
  cockroachdb: ['postgresql', 26257],
  mysql: ['mysql', 3306],
  mariadb: ['mysql', 3306],
  sqlite: ['sqlite', 0],
};

// Like SQLAlchemy: a password can contain any character except "@", even characters that a URL does not allow.
const urlPattern =
  /^(?<name>[\w+]+):\/\/(?:(?<user>[^:/]*)(?::(?<password>[^@]*))?@)?(?:(?:\[(?<ipv6>[^/?\]]+)\]|(?<host>[^/:?]+))?(?::(?<port>[^/?]*))?)?(?:\/(?<database>[^?]*))?(?:\?(?<options>.*))?$/u;

/** Parses `dialect+driver://user:password@host:port/database?option=value`. Its errors do not contain the text. */
export function parseDatabaseAddress(text: string): DatabaseAddress {
  const {
    name = '',
    user = '',
    password = '',
    ipv6,
    host,
    port,
    database = '',
    options,
  } = urlPattern.exec(text.trim())?.groups ?? {};
  if (name === '') throw connectionError('Could not parse SQLAlchemy URL from given URL string');
  const dialectAndPort = dialects[name.split('+')[0] ?? ''];
  if (dialectAndPort === undefined) {
    throw connectionError(
      `databases of type "${name}" are not supported, only PostgreSQL, MySQL, MariaDB and SQLite`,
    );
  }
  const [dialect, defaultPort] = dialectAndPort;
  const number = port === undefined || port === '' ? defaultPort : Number(port);
  if (!Number.isInteger(number) || number < 0 || number > 65_535)
    throw connectionError('the port is invalid');
  return {
    dialect,
    user: percentDecoded(user),
    password: percentDecoded(password),
    host: ipv6 ?? host ?? 'localhost',
    port: number,
    database: dialect === 'sqlite' && database === ':memory:' ? '' : database,
    options: new Map(new URLSearchParams(options ?? '')),
  };
}

/** Returns the error for a database to which no connection could be opened. */
export function connectionError(reason: string, cause?: unknown): ComponentError {
  return new ComponentError(`An error occurred while connecting to the database: ${reason}`, cause);
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
