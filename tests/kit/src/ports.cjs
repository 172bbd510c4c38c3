const { randomInt } = require('node:crypto');
const { once } = require('node:events');
const { createServer } = require('node:net');

/** Below the ports that systems choose for connections and for port 0: no other process takes such a port by chance. */
const FIRST_PORT = 20_000;
const PORTS = 10_000;
const ATTEMPTS = 100;
/** A server listens on its port only after a while. @type {Set<number>} */
const given = new Set();

/**
 * Resolves to a port on which no process listens now, and that this process has not been given before.
 * @param {string} [host] the loopback interface unless given
 * @returns {Promise<number>}
 */
async function freePort(host = '127.0.0.1') {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const port = FIRST_PORT + randomInt(PORTS);
    if (given.has(port)) continue;
    const server = createServer();
    try {
      server.listen(port, host);
      await once(server, 'listening');
    } catch {
      continue;
    }
    server.close();
    await once(server, 'close');
    given.add(port);
    return port;
  }
  throw new Error('no free port was found');
}

/**
 * Returns the port on which a server listens; throws when it does not listen.
 * @param {import('node:net').Server} server
 * @returns {number}
 */
function portOf(server) {
  const address = server.address();
  if (address === null || typeof address === 'string')
    throw new Error('the server does not listen on a port');
  return address.port;
}

module.exports = { freePort, portOf };
