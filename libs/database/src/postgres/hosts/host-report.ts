import type { ConnectionOptions } from 'node:tls';
import { Client, DatabaseError as ServerError } from 'pg';
import type { ClientBase } from 'pg';
import { describeError } from '../../translate-error';

/** Where a connection of the pool goes. */
export interface HostAddress {
  /** The URL of this host in the settings. */
  readonly host: string;
  /** The same without the parameters of encryption. */
  readonly url: string;
  readonly ssl: ConnectionOptions | false;
}

/** What a server says about itself. */
export interface HostState {
  readonly isInRecovery: boolean;
  readonly isReadOnly: boolean;
  /** The identifier that a primary shares with its standbys; undefined when the server does not tell. */
  readonly system: string | undefined;
  /** Grows by one with each promotion of a standby; 0 when the server does not tell or is in recovery. */
  readonly timeline: number;
}

export interface HostReport extends HostAddress {
  /** Undefined when the host did not answer. */
  readonly state: HostState | undefined;
  readonly reason: string | undefined;
}

/** Every role may execute these functions, unless an administrator has revoked that. */
const STATE = `SELECT pg_is_in_recovery() AS "isInRecovery",
  current_setting('transaction_read_only') = 'on' AS "isReadOnly",
  (SELECT system_identifier::text FROM pg_control_system()) AS system,
  CASE WHEN pg_is_in_recovery() THEN 0
    ELSE ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int END AS timeline`;
/** For a server without these functions: it is chosen by the order of the address alone. */
const ROLE = `SELECT pg_is_in_recovery() AS "isInRecovery",
  current_setting('transaction_read_only') = 'on' AS "isReadOnly", NULL AS system, 0 AS timeline`;

type StateRow = Omit<HostState, 'system'> & { readonly system: string | null };

/** Reads the state over a connection. Rejects with the driver's error when the connection is lost. */
export async function readHostState(client: ClientBase, timeoutMilliseconds: number): Promise<HostState> {
  try {
    return await readState(client, STATE, timeoutMilliseconds);
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    return readState(client, ROLE, timeoutMilliseconds);
  }
}

/** Connects to a host for its state; never rejects. */
export async function examineHost(
  address: HostAddress,
  { name, timeoutMilliseconds }: { readonly name: string; readonly timeoutMilliseconds: number },
): Promise<HostReport> {
  const client = new Client({
    connectionString: address.url,
    ssl: address.ssl,
    application_name: name,
    connectionTimeoutMillis: timeoutMilliseconds,
    query_timeout: timeoutMilliseconds,
  });
  // The outcome of the call has the reason.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return { ...address, state: await readHostState(client, timeoutMilliseconds), reason: undefined };
  } catch (error) {
    return { ...address, state: undefined, reason: describeError(error) };
  } finally {
    void client.end().catch(() => undefined);
  }
}

async function readState(client: ClientBase, text: string, timeoutMilliseconds: number): Promise<HostState> {
  const statement = { text, query_timeout: timeoutMilliseconds };
  const { rows } = await client.query<StateRow>(statement);
  const [row] = rows;
  if (row === undefined) throw new Error('The server returned no state');
  return { ...row, system: row.system ?? undefined };
}
