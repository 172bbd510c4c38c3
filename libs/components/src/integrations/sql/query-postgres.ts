import type { ConnectionOptions } from 'node:tls';
import type { ComponentContext } from '@millrace/flow';
import { Client, Query, types } from 'pg';
import type { PythonValue } from '@millrace/python-text';
import { ConnectionStream } from './connection-stream';
import type { DatabaseAddress } from './database-address';
import { connectionFailure, statementFailure } from './database-failure';
import { bytesCell, floatCell, integerCell, jsonCell } from './sql-cell';
import { maximumBytes, maximumRows, tooManyBytes, tooManyRows } from './sql-statement';
import type { SqlRows, SqlStatement } from './sql-statement';

const noEncryption = 'The server does not support SSL connections';

/**
 * Runs one statement on PostgreSQL in a separate transaction. Without permission to write the transaction is read-only,
 * and the statement cannot change that.
 */
export async function queryPostgres(
  address: DatabaseAddress,
  statement: SqlStatement,
  context: ComponentContext,
): Promise<SqlRows> {
  const { client, stream } = await login(address, context);
  try {
    await client.query(statement.mayWrite ? 'BEGIN' : 'BEGIN READ ONLY');
    // After its first query a transaction cannot change from read-only to read-write.
    const milliseconds = String(Math.max(1, Math.ceil(context.remainingMilliseconds())));
    await client.query(`SELECT set_config('statement_timeout', $1, true)`, [milliseconds]);
    const rows = await collect(client, statement.text);
    await client.query('COMMIT');
    return rows;
  } catch (error) {
    throw statementFailure(error, stream, context);
  } finally {
    void client.end();
  }
}

/**
 * Logs in like libpq: with TLS if the server supports it, unless the URL says otherwise. The caller must end the
 * client.
 */
export async function login(address: DatabaseAddress, context: ComponentContext): Promise<Login> {
  const mode = address.options.get('sslmode') ?? 'prefer';
  try {
    if (mode === 'disable' || mode === 'allow') return await connect(address, false, context);
    return await connect(address, encryption(mode), context).catch((error: unknown) => {
      if (mode === 'prefer' && error instanceof Error && error.message === noEncryption) {
        return connect(address, false, context);
      }
      throw error;
    });
  } catch (error) {
    throw connectionFailure(error, context);
  }
}

/** A logged-in client and its stream, which limits the number of received bytes. */
export interface Login {
  readonly client: Client;
  readonly stream: ConnectionStream;
}

async function connect(
  address: DatabaseAddress,
  ssl: ConnectionOptions | false,
  context: ComponentContext,
): Promise<Login> {
  const { host, port, password, options } = address;
  const user = address.user === '' ? 'postgres' : address.user;
  const socket = await context.resources.dial({ host, port }, context.signal);
  const stream = new ConnectionStream(socket, maximumBytes, tooManyBytes);
  const client = new Client({
    host,
    port,
    user,
    // With an empty text the client would look for a password in the environment and files of this process.
    password: () => password,
    database: address.database === '' ? user : address.database,
    application_name: options.get('application_name') ?? 'Millrace',
    ssl,
    stream: () => stream,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return { client, stream };
  } catch (error) {
    stream.destroy();
    throw error;
  }
}

/** Returns the certificate checks for one of libpq's modes. */
function encryption(mode: string): ConnectionOptions {
  if (mode === 'verify-full') return { rejectUnauthorized: true };
  if (mode === 'verify-ca') return { rejectUnauthorized: true, checkServerIdentity: () => undefined };
  return { rejectUnauthorized: false };
}

/** Uses the extended protocol, which accepts one statement at a time, so that a text cannot end the transaction. */
function collect(client: Client, text: string): Promise<SqlRows> {
  return new Promise((resolve, reject) => {
    const rows: PythonValue[][] = [];
    const settings = { text, queryMode: 'extended', rowMode: 'array', types: { getTypeParser: cellParser } };
    const query = client.query(new Query<PythonValue[]>(settings));
    query.on('row', (row) => {
      if (rows.length === maximumRows) reject(tooManyRows());
      else rows.push(row);
    });
    query.on('error', reject);
    query.on('end', ({ fields }) => resolve({ columns: fields.map(({ name }) => name), rows }));
  });
}

const { BOOL, BYTEA, FLOAT4, FLOAT8, INT2, INT4, INT8, JSON: json, JSONB, NUMERIC, OID } = types.builtins;

function cellParser(type: number): (text: string) => PythonValue {
  switch (type) {
    case BOOL:
      return (text) => text === 't';
    case INT2:
    case INT4:
    case INT8:
    case OID:
      return integerCell;
    case FLOAT4:
    case FLOAT8:
    case NUMERIC:
      return floatCell;
    case json:
    case JSONB:
      return jsonCell;
    case BYTEA:
      return (text) => bytesCell(Buffer.from(text.slice(2), 'hex'));
    default:
      return arrayParser(type) ?? String;
  }
}

const arrays: ReadonlyMap<number, (text: string) => PythonValue> = new Map<
  number,
  (text: string) => PythonValue
>([
  [1000, (text) => text === 't'],
  ...[1005, 1007, 1016].map((type) => [type, integerCell] as const),
  ...[1021, 1022, 1231].map((type) => [type, floatCell] as const),
  ...[1009, 1014, 1015, 1115, 1182, 1185, 2951].map((type) => [type, String] as const),
]);
const textArray = 1009;

/** Returns a parser for lists of the types above; undefined for other types. */
function arrayParser(type: number): ((text: string) => PythonValue) | undefined {
  const element = arrays.get(type);
  if (element === undefined) return undefined;
  const texts = types.getTypeParser(textArray as number) as (text: string) => NestedTexts;
  const cells = (list: NestedTexts): PythonValue =>
    list.map((item) => (item === null ? null : typeof item === 'string' ? element(item) : cells(item)));
  return (text) => cells(texts(text));
}

type NestedTexts = readonly (string | null | NestedTexts)[];
