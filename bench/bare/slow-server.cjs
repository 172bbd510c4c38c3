// A service that others call: answers every request 50 ms later, as a model does, and at `/count` how many it had.
const { createServer } = require('node:http');
const { ready } = require('./bare-app.cjs');

const DELAY_MILLISECONDS = 50;
let count = 0;

const server = createServer((request, response) => {
  const answer = (value) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  if (request.url === '/count') return answer({ count });
  count += 1;
  request.resume();
  const message = { role: 'assistant', content: 'answered' };
  const choices = [{ index: 0, message, finish_reason: 'stop' }];
  setTimeout(answer, DELAY_MILLISECONDS, { answered: request.url, choices });
});
server.listen(0, '127.0.0.1', () => ready(server.address().port));
