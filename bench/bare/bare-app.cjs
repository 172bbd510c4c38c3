const express = require('express');

/** An answer of about the size of a run's answer. */
module.exports.answer = Buffer.from(JSON.stringify({ outputs: 'x'.repeat(1_480) }));

/** Starts a minimal Express app; `handle(body, response)` gets the parsed body of every POST. */
module.exports.listen = async function listen(handle) {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.post('/{*path}', (request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      handle(JSON.parse(body), response, body);
    });
  });
  const server = await new Promise((resolve) => {
    const listening = app.listen(0, '127.0.0.1', () => resolve(listening));
  });
  ready(server.address().port);
};

/** Reports to the parent process that this process is ready, and its port. */
function ready(port) {
  console.log(`ready on ${port}`);
}
module.exports.ready = ready;

/** Runs `main`; a failure ends the process. */
module.exports.run = function run(main) {
  main().catch((error) => {
    console.error(error);
    process.exit(1);
  });
};
