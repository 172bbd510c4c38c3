import { connect } from 'node:net';
import type { ClientBase } from 'pg';

/** The code of a CancelRequest. Source: "Message Formats" of PostgreSQL's manual. */
const CANCEL_REQUEST = 80_877_102;
const REQUEST_BYTES = 16;
const TIMEOUT_MILLISECONDS = 2_000;

/** What the driver keeps of the server's BackendKeyData and of the address, beside what it declares. */
interface CancellableClient {
  readonly host: string;
  readonly port: number;
  readonly processID: number | null;
  readonly secretKey: number | null;
}

/**
 * Asks the server to cancel what it does for this connection, over a connection of its own; a pooler passes that on.
 * What comes of it is the statement's own outcome: the request has no answer, and one that does not arrive leaves the
 * statement to the limit of its caller.
 */
export function cancelStatement(client: ClientBase): void {
  const { host, port, processID, secretKey } = client as unknown as CancellableClient;
  if (processID === null || secretKey === null) return;
  const request = Buffer.alloc(REQUEST_BYTES);
  request.writeInt32BE(REQUEST_BYTES, 0);
  request.writeInt32BE(CANCEL_REQUEST, 4);
  request.writeInt32BE(processID, 8);
  request.writeInt32BE(secretKey, 12);
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
  socket.setTimeout(TIMEOUT_MILLISECONDS, () => socket.destroy());
  socket.on('error', () => socket.destroy());
  // The other side ends the connection: PgBouncer drops a request whose sender ends it first.
  socket.write(request);
}
