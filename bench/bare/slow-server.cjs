// A service for calls of flows: answers every request after 50 ms, as a model, and returns the number of calls at `/count`.
const { createServer } = require('node:http');
const { portOf, ready } = require('./bare-app.cjs');

const DELAY_MILLISECONDS = 50;
let count = 0;

const server = createServer((request, response) => {
  /** @param {unknown} value */
  const answer = (value) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  if (request.url === '/count') return answer({ count });
  count += 1;
  request.resume();
  const message = { role: 'assistant', content: 'answered' };
  const choices = [{ index: 0, message, finish_reason: 'stop' }];
  setTimeout(answer, DELAY_MILLISECONDS, { answered: request.url, choices });
});
server.listen(0, '127.0.0.1', () => ready(portOf(server)));
