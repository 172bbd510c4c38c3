import { connect } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import type { TlsMaterial } from '@millrace/service';
import { postgresEncryption } from './postgres-encryption';

const TIMEOUT_MILLISECONDS = 2_000;
const DEFAULT_PORT = 5432;
/** Length and code of PostgreSQL's SSLRequest; the server answers with one byte, S or N. */
const sslRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/**
 * Resolves to the address and encryption to connect with. With sslmode=prefer it asks the server once whether it
 * accepts encrypted connections. Rejects when the address contains an unknown mode or names a file that cannot be read.
 */
export async function chooseEncryption(
  address: string,
  tls: TlsMaterial | undefined,
): Promise<{ readonly url: string; readonly ssl: ConnectionOptions | false }> {
  const { url, ssl, isOptional } = postgresEncryption(address, tls);
  return { url, ssl: isOptional && !(await hasEncryption(url)) ? false : ssl };
}

/** Also false when the server does not answer in time: the connection that follows then fails with the reason. */
function hasEncryption(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname || 'localhost', port: Number(port || DEFAULT_PORT) });
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(TIMEOUT_MILLISECONDS, () => end(false));
    socket.on('error', () => end(false));
    socket.on('close', () => end(false));
    socket.once('data', (answer) => end(answer.toString('latin1', 0, 1) === 'S'));
    socket.write(sslRequest);
  });
}
