// The limit of a run in one process: Express that reads and parses the body and sends an answer of 1.5 kB.
const { answer, listen, run } = require('./bare-app.cjs');

run(() =>
  listen((body, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
  }),
);
