import { connect } from 'node:net';
import type { ClientBase } from 'pg';

/** The code of a CancelRequest. Source: "Message Formats" of PostgreSQL's manual. */
const CANCEL_REQUEST = 80_877_102;
const REQUEST_BYTES = 16;
const TIMEOUT_MILLISECONDS = 2_000;

/** Fields of the driver's client that its types do not declare: the server's BackendKeyData and address. */
interface ClientInternals {
  readonly host: string;
  readonly port: number;
  readonly processID: number | null;
  readonly secretKey: number | null;
}

const cancelled = new WeakSet<ClientBase>();

/** Whether a statement of this connection was to be cancelled. */
export function wasCancelled(client: ClientBase): boolean {
  return cancelled.has(client);
}

/**
 * Asks the server, over a separate connection, to cancel the current statement of this connection; a pooler forwards
 * that. The request has no answer: its effect shows in the statement's own outcome, and if it does not arrive, the
 * statement is bounded by its caller's limit. The request, or the second of the two signals that PostgreSQL makes of it,
 * can arrive after the statement and cancel the next one: use the connection for no other statement.
 */
export function cancelStatement(client: ClientBase): void {
  cancelled.add(client);
  const { host, port, processID, secretKey } = client as unknown as ClientInternals;
  if (processID === null || secretKey === null) return;
  const request = Buffer.alloc(REQUEST_BYTES);
  request.writeInt32BE(REQUEST_BYTES, 0);
  request.writeInt32BE(CANCEL_REQUEST, 4);
  request.writeInt32BE(processID, 8);
  request.writeInt32BE(secretKey, 12);
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
  socket.setTimeout(TIMEOUT_MILLISECONDS, () => socket.destroy());
  socket.on('error', () => socket.destroy());
  // The other side closes the connection: PgBouncer drops a request whose sender closes it first.
  socket.write(request);
}
