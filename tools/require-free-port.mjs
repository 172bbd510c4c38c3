import { createServer } from 'node:net';
import { listenFailure } from '../libs/service/src/process/listen-failure.cjs';

/**
 * Looks whether a server could listen at a place now, so that a command says so before it makes anything. Takes PORT and
 * HOST of the environment for what is not given, as the services do. Ends the process with 1, or with 78 for an address
 * that this machine does not have.
 */
export async function requireFreePort({
  host = process.env.HOST || '127.0.0.1',
  port = Number(process.env.PORT || 7860),
  command,
  besidesAnother,
}) {
  // Settings that are wrong are named by the program itself, all at once.
  if (!Number.isInteger(port) || port < 0 || port > 65_535) return;
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
