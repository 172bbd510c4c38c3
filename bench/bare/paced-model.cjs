// A model whose answers arrive at an exact pace: `pace=1000 tokens=15000 delay=4000` in the message are tokens a second, their
// number, and the milliseconds before the first one. `GET /last` describes the last answer.
const { createServer } = require('node:http');
const { portOf, ready } = require('./bare-app.cjs');

const TICK_MILLISECONDS = 10;
const TOKENS_IN_PARAGRAPH = 100;
const MAXIMUM_BODY_BYTES = 1_000_000;
const words = 'the run of a flow goes on and each of its tokens arrives at the page that shows it'.split(' ');

/** @type {{ tokens: number, startedAt: number, endedAt: number | null } | null} */
let last = null;

const server = createServer((request, response) => {
  if (request.method === 'GET')
    return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(last));
  let body = '';
  request.on('data', (part) => {
    body += part;
    if (body.length > MAXIMUM_BODY_BYTES) request.destroy();
  });
  request.on('end', () => {
    const number = (/** @type {string} */ name) => Number(new RegExp(`${name}=(\\d+)`).exec(body)?.[1] ?? 0);
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    setTimeout(() => answer(response, number('pace'), number('tokens')), number('delay'));
  });
});
server.listen(0, '127.0.0.1', () => ready(portOf(server)));

/**
 * @param {import('node:http').ServerResponse} response
 * @param {number} pace
 * @param {number} tokens
 */
function answer(response, pace, tokens) {
  const startedAt = Date.now();
  const described = { tokens, startedAt, endedAt: /** @type {number | null} */ (null) };
  last = described;
  let sent = 0;
  const timer = setInterval(() => {
    const due = Math.min(tokens, Math.floor(((Date.now() - startedAt) * pace) / 1_000));
    let text = '';
    for (; sent < due; sent += 1) text += chunk({ content: tokenAt(sent, tokens) }, null);
    if (text !== '') response.write(text);
    if (sent < tokens && !response.destroyed) return;
    clearInterval(timer);
    described.endedAt = Date.now();
    response.end(`${chunk({}, 'stop')}data: [DONE]\n\n`);
  }, TICK_MILLISECONDS);
}

/**
 * @param {number} index
 * @param {number} tokens
 */
function tokenAt(index, tokens) {
  if (index === tokens - 1) return ' END';
  const isFirst = index % TOKENS_IN_PARAGRAPH === 0;
  const separator = index === 0 ? '' : isFirst ? '\n\n' : ' ';
  return separator + words[index % words.length];
}

/**
 * @param {{ readonly content?: string }} delta
 * @param {string | null} end
 */
function chunk(delta, end) {
  const choices = [{ index: 0, delta, finish_reason: end }];
  return `data: ${JSON.stringify({ id: 'paced', object: 'chat.completion.chunk', created: 0, model: 'paced', choices })}\n\n`;
}
