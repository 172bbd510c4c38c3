const { once } = require('node:events');
const express = require('express');

/** @typedef {{ readonly input_value: string }} Body The body of a request for a run. */

/** An answer of about the size of a run's answer. */
module.exports.answer = Buffer.from(JSON.stringify({ outputs: 'x'.repeat(1_480) }));

/**
 * Starts a minimal Express app; `handle(body, response, bytes)` gets the parsed body of every POST.
 * @param {(body: Body, response: import('node:http').ServerResponse, bytes: Buffer) => void} handle
 */
module.exports.listen = async function listen(handle) {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.post('/{*path}', (request, response) => {
    /** @type {Buffer[]} */
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      handle(JSON.parse(body.toString()), response, body);
    });
  });
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ready(portOf(server));
};

/**
 * Returns the port on which a server listens.
 * @param {import('node:net').Server} server
 */
function portOf(server) {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server does not listen');
  return address.port;
}
module.exports.portOf = portOf;

/**
 * Reports to the parent process that this process is ready, and its port.
 * @param {number} port
 */
function ready(port) {
  console.log(`ready on ${port}`);
}
module.exports.ready = ready;

/**
 * Runs `main`; a failure ends the process.
 * @param {() => Promise<void>} main
 */
module.exports.run = function run(main) {
  main().catch((error) => {
    console.error(error);
    process.exit(1);
  });
};
