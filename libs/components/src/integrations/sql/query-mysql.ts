import type { ComponentContext } from '@millrace/flow';
import type { Connection, FieldPacket, QueryOptions, SslOptions, TypeCastField } from 'mysql2';
import type { PythonValue } from '@millrace/python-text';
import { ConnectionStream } from './connection-stream';
import type { DatabaseAddress } from './database-address';
import { connectionFailure, statementFailure } from './database-failure';
import { bytesCell, floatCell, integerCell, jsonCell } from './sql-cell';
import { maximumBytes, maximumRows, tooManyBytes, tooManyRows } from './sql-statement';
import type { SqlRows, SqlStatement } from './sql-statement';

/** Runs one statement on MySQL or MariaDB in a separate transaction, which is read-only unless writes are allowed. */
export async function queryMysql(
  address: DatabaseAddress,
  statement: SqlStatement,
  context: ComponentContext,
): Promise<SqlRows> {
  const { connection, stream } = await login(address, context);
  try {
    await setTimeLimit(connection, context);
    if (!statement.mayWrite) await collect(connection, 'SET SESSION TRANSACTION READ ONLY');
    await collect(connection, statement.mayWrite ? 'START TRANSACTION' : 'START TRANSACTION READ ONLY');
    const rows = await collect(connection, statement.text);
    await collect(connection, 'COMMIT');
    connection.end(() => undefined);
    return rows;
  } catch (error) {
    stream.destroy();
    throw statementFailure(error, stream, context);
  }
}

interface Login {
  readonly connection: Connection;
  readonly stream: ConnectionStream;
}

async function login(address: DatabaseAddress, context: ComponentContext): Promise<Login> {
  const { createConnection } = await import('mysql2');
  const { host, port, user, password, database } = address;
  try {
    const socket = await context.resources.dial({ host, port }, context.signal);
    const stream = new ConnectionStream(socket, maximumBytes, tooManyBytes);
    const ssl = encryption(address);
    const connection = createConnection({
      host,
      user,
      password,
      database,
      stream,
      dateStrings: true,
      typeCast: cellOf,
      ...(ssl === null ? {} : { ssl }),
    });
    connection.on('error', () => undefined);
    await new Promise<void>((resolve, reject) => {
      connection.once('connect', () => resolve());
      connection.once('error', reject);
    }).catch((error: unknown) => {
      stream.destroy();
      throw error;
    });
    return { connection, stream };
  } catch (error) {
    throw connectionFailure(error, context);
  }
}

/** Returns the TLS options of the URL, which may use the names of several drivers; null for no TLS. */
function encryption({ options }: DatabaseAddress): SslOptions | null {
  const modeOption = options.get('ssl_mode') ?? options.get('ssl-mode') ?? '';
  const mode = modeOption.toLowerCase().replace('_', '-');
  if (mode === 'disabled' || mode === 'preferred') return null;
  const verifyIdentity = mode === 'verify-identity' || options.get('ssl_verify_identity') === 'true';
  const isVerified = verifyIdentity || mode === 'verify-ca' || options.has('ssl_ca');
  if (!isVerified && mode === '' && !/^(?:true|1)$/i.test(options.get('ssl') ?? '')) return null;
  return { rejectUnauthorized: isVerified, verifyIdentity };
}

/** Limits a statement to the remaining time of the run; MySQL and MariaDB have different settings for it. */
async function setTimeLimit(connection: Connection, context: ComponentContext): Promise<void> {
  const milliseconds = Math.max(1, Math.ceil(context.remainingMilliseconds()));
  const { rows } = await collect(connection, 'SELECT VERSION()');
  const isMariaDb = /mariadb/i.test(String(rows[0]?.[0]));
  const limit = isMariaDb
    ? `max_statement_time = ${milliseconds / 1000}`
    : `max_execution_time = ${milliseconds}`;
  await collect(connection, `SET SESSION ${limit}`);
}

function collect(connection: Connection, text: string): Promise<SqlRows> {
  return new Promise((resolve, reject) => {
    const rows: PythonValue[][] = [];
    let columns: readonly string[] = [];
    const options: QueryOptions = { sql: text, rowsAsArray: true };
    const query = connection.query(options);
    query.on('fields', (fields: readonly FieldPacket[] | undefined) => {
      columns = (fields ?? []).map(({ name }) => name);
    });
    query.on('result', (row: unknown) => {
      // A statement without rows returns one object that describes its changes.
      if (!Array.isArray(row)) return;
      if (rows.length === maximumRows) reject(tooManyRows());
      else rows.push(row as PythonValue[]);
    });
    query.on('error', reject);
    // A query without a callback is not notified when its connection breaks.
    connection.once('error', reject);
    query.on('end', () => {
      connection.off('error', reject);
      resolve({ columns, rows });
    });
  });
}

const integers: ReadonlySet<string> = new Set(['TINY', 'SHORT', 'INT24', 'LONG', 'LONGLONG', 'YEAR']);
const floats: ReadonlySet<string> = new Set(['FLOAT', 'DOUBLE', 'DECIMAL', 'NEWDECIMAL']);

function cellOf(field: TypeCastField, next: () => unknown): PythonValue {
  const { type } = field;
  if (integers.has(type) || floats.has(type) || type === 'JSON') {
    const text = field.string();
    if (text === null) return null;
    return type === 'JSON' ? jsonCell(text) : integers.has(type) ? integerCell(text) : floatCell(text);
  }
  const value = next();
  return Buffer.isBuffer(value) ? bytesCell(value) : (value as string | null);
}
