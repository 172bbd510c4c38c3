import { createServer } from 'node:net';
import { listenFailure } from '../../libs/service/src/process/listen-failure.cjs';

/**
 * Checks that a server can listen on a host and port now, so that a command fails before it creates anything. Defaults
 * to PORT and HOST of the environment, as the services do. Otherwise exits with 1, or with 78 for an address that this
 * machine does not have.
 * @param {{ readonly host?: string, readonly port?: number, readonly command: string, readonly besidesAnother?: string }} place
 */
export async function requireFreePort({
  host = process.env.HOST || '127.0.0.1',
  port = Number(process.env.PORT || 7860),
  command,
  besidesAnother,
}) {
  // The program itself reports all wrong settings together.
  if (!Number.isInteger(port) || port < 0 || port > 65_535) return;
  /** @type {Error | undefined} */
  const error = await new Promise((resolve) => {
    const server = createServer();
    server.once('error', resolve);
    server.listen(port, host, () => server.close(() => resolve(undefined)));
  });
  if (error === undefined) return;
  const { sentence, isWrongHost } = await listenFailure(error, { host, port, command, besidesAnother });
  console.error(sentence);
  process.exit(isWrongHost ? 78 : 1);
}
