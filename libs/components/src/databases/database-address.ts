import { ComponentError } from '@millrace/flow';

export type SqlDialect = 'postgresql' | 'mysql' | 'sqlite';

/** Where a database is and how to log in there. */
export interface DatabaseAddress {
  readonly dialect: SqlDialect;
  readonly user: string;
  readonly password: string;
  readonly host: string;
  /** The dialect's usual one unless the URL names one. */
  readonly port: number;
  /** A name; for SQLite the path of a file, empty for a database in memory. */
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

// As SQLAlchemy reads them: a password may hold anything but "@", also what a URL would not allow.
const form =
  /^(?<name>[\w+]+):\/\/(?:(?<user>[^:/]*)(?::(?<password>[^@]*))?@)?(?:(?:\[(?<ipv6>[^/?]+)\]|(?<host>[^/:?]+))?(?::(?<port>[^/?]*))?)?(?:\/(?<database>[^?]*))?(?:\?(?<options>.*))?$/u;

/** Reads `dialect+driver://user:password@host:port/database?option=value`. Its errors do not repeat the text. */
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
  } = form.exec(text.trim())?.groups ?? {};
  if (name === '') throw connecting('Could not parse SQLAlchemy URL from given URL string');
  const known = dialects[name.split('+')[0] ?? ''];
  if (known === undefined) {
    throw connecting(
      `databases of the kind "${name}" cannot be reached from here, only PostgreSQL, MySQL, MariaDB and SQLite`,
    );
  }
  const [dialect, usualPort] = known;
  const number = port === undefined || port === '' ? usualPort : Number(port);
  if (!Number.isInteger(number) || number < 0 || number > 65_535) throw connecting('the port is no number');
  return {
    dialect,
    user: decoded(user),
    password: decoded(password),
    host: ipv6 ?? host ?? 'localhost',
    port: number,
    database: dialect === 'sqlite' && database === ':memory:' ? '' : database,
    options: new Map(new URLSearchParams(options ?? '')),
  };
}

/** The error of a database that could not be asked at all. */
export function connecting(reason: string, cause?: unknown): ComponentError {
  return new ComponentError(`An error occurred while connecting to the database: ${reason}`, cause);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
