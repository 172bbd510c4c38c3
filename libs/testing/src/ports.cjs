const { once } = require('node:events');
const { createServer } = require('node:net');

/**
 * Resolves to a port on which no process listens now.
 * @param {string} [host] the loopback interface unless given
 * @returns {Promise<number>}
 */
async function freePort(host = '127.0.0.1') {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  const port = portOf(server);
  server.close();
  await once(server, 'close');
  return port;
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
