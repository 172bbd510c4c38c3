const express = require('express');

/** About what a run answers. */
module.exports.answer = Buffer.from(JSON.stringify({ outputs: 'x'.repeat(1_480) }));

/** Express with nothing that can be left out; `handle(body, response)` gets the parsed body of every POST. */
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

/** Tells whoever started this process that it can be used, and where. */
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
