/** @import { IncomingMessage, ServerResponse } from 'node:http' */

/**
 * Answers as a web site of any host: with a page that contains its address and the posted body, or with the same as JSON
 * when the request accepts JSON.
 * @param {IncomingMessage} request
 * @param {ServerResponse} response
 * @param {string} host
 */
export function answerAsSite(request, response, host) {
  /** @type {Buffer[]} */
  const parts = [];
  request.on('data', (part) => parts.push(part));
  request.on('end', () => {
    const address = `https://${host}${request.url}`;
    const body = Buffer.concat(parts).toString();
    if ((request.headers.accept ?? '').includes('application/json')) {
      response.writeHead(200, { 'content-type': 'application/json' });
      return response.end(JSON.stringify({ address, method: request.method, body }));
    }
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    return response.end(
      `<!doctype html><html><head><title>${host}</title></head><body><h1>${host}</h1><p>This is ${address}.</p><p>${body}</p></body></html>`,
    );
  });
}
