// Accepts telemetry in OpenTelemetry's protocol over HTTP, and answers GET with the number of bytes that it has received.
const { createServer } = require('node:http');
const { portOf, ready } = require('./bare-app.cjs');

let bytes = 0;
const server = createServer((request, response) => {
  request.on('data', (chunk) => (bytes += chunk.length));
  request.on('end', () => {
    if (request.method === 'GET') response.end(String(bytes));
    else response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
  });
});
server.listen(0, '127.0.0.1', () => ready(portOf(server)));
