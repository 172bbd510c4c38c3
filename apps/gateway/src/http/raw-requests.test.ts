import { connect } from 'node:net';
import { gatewayForTests, TEST_KEY } from '../testing/test-gateway';

const gateway = gatewayForTests();

/** Sends raw bytes and resolves to everything received until the connection ends. */
function send(text: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(gateway.port, '127.0.0.1');
    let received = '';
    socket.on('data', (bytes) => (received += bytes.toString('latin1')));
    socket.on('error', () => undefined).on('close', () => resolve(received));
    socket.write(Buffer.from(text, 'latin1'));
  });
}

const head = 'POST /api/v1/run/x HTTP/1.1\r\nhost: a\r\n';
const hidden = 'GET /api/v1/flows/ HTTP/1.1\r\nhost: a\r\n\r\n';

test.each([
  ['two lengths', `${head}content-length: 2\r\ncontent-length: 3\r\n\r\n{}${hidden}`],
  ['two lengths in one line', `${head}content-length: 2, 3\r\n\r\n{}${hidden}`],
  ['a length and chunks', `${head}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`],
  ['chunks twice', `${head}transfer-encoding: chunked, identity\r\n\r\n0\r\n\r\n${hidden}`],
  [
    'an encoding with a space before its colon',
    `${head}transfer-encoding : chunked\r\n\r\n0\r\n\r\n${hidden}`,
  ],
  ['a negative length', `${head}content-length: -1\r\n\r\n${hidden}`],
  ['a length in hex', `${head}content-length: 0x2\r\n\r\n{}${hidden}`],
  [
    'a folded header',
    `${head}x-folded: a\r\n b: c\r\ntransfer-encoding:\r\n chunked\r\n\r\n0\r\n\r\n${hidden}`,
  ],
  ['NUL in a header', `${head}x-nul: a\u0000b\r\n\r\n${hidden}`],
  ['a carriage return alone', `${head}x-a: b\rx-c: d\r\n\r\n${hidden}`],
  ['no host', `POST /api/v1/run/x HTTP/1.1\r\n\r\n${hidden}`],
  ['an invalid method', `G@T / HTTP/1.1\r\nhost: a\r\n\r\n${hidden}`],
  ['a chunk with an invalid size', `${head}transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n${hidden}`],
])('CWE-444: %s is one refused request, and its connection is closed', async (_what, text) => {
  const received = await send(text);
  expect(received.match(/HTTP\/1\.1 \d+/g)).toHaveLength(1);
  expect(received).toMatch(/^HTTP\/1\.1 (400|413) /);
});

test('a header of 17 kB is 431', async () => {
  expect(await send(`${head}x-long: ${'x'.repeat(17_000)}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 431 /);
});

test('S5: a declared length of 100 MB is refused before the body arrives', async () => {
  const received = await send(
    `${head}connection: close\r\nx-api-key: ${TEST_KEY}\r\ncontent-length: 100000000\r\n\r\n{`,
  );
  expect(received).toMatch(/^HTTP\/1\.1 413 /);
}, 120_000);

test('CWE-209: no error answer contains a stack, a file path or the name of a program', async () => {
  const faults = [
    gateway.call('GET', '/api/v1/nothing'),
    gateway.call('GET', '/api/v1/flows/%E0%A4%A'),
    gateway.call('GET', '/api/v1/flows/not-a-uuid'),
    gateway.call('POST', '/health'),
    gateway.call('POST', '/api/v1/flows/', '{', { 'content-type': 'application/json' }),
    gateway.call('POST', '/api/v1/flows/', { name: 'x', data: { nodes: 'x', edges: [] } }),
    gateway.call('POST', '/api/v2/files', 'x', { 'content-type': 'multipart/form-data; boundary=' }),
    gateway.call('POST', '/api/v1/flows/upload/', 'PK\u0003\u0004broken'),
    gateway.call('POST', '/api/v1/webhook/x', '{}'),
    gateway.call('GET', '/api/v1/flows/', undefined, { authorization: 'Bearer x' }),
  ];
  for (const { status, text, headers } of await Promise.all(faults)) {
    expect(status).toBeGreaterThanOrEqual(400);
    expect(text).not.toMatch(/\bat .*[./\\][cmjt]*s:\d+|node_modules|\/src\/|SELECT |ECONN|127\.0\.0\.1/);
    expect([headers.get('x-powered-by'), headers.get('server')]).toEqual([null, null]);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  }
});

test('CWE-209: the answer to an unexpected error contains no details', async () => {
  await gateway.database.query({ text: 'ALTER TABLE variables RENAME TO moved' });
  const answer = await gateway.call('GET', '/api/v1/variables/');
  await gateway.database.query({ text: 'ALTER TABLE moved RENAME TO variables' });
  expect([answer.status, answer.json]).toEqual([500, { detail: 'Internal Server Error' }]);
});

test('CWE-113: no header of an answer contains input of the caller', async () => {
  const received = await send(
    `GET /api/v1/flows/a%0d%0ax-injected:%201 HTTP/1.1\r\nhost: a\r\nconnection: close\r\nx-request-id: a b\r\n` +
      `x-api-key: ${TEST_KEY}\r\norigin: https://elsewhere.example\r\n\r\n`,
  );
  const headers = received.split('\r\n\r\n')[0] ?? '';
  expect(headers).not.toMatch(/x-injected|a b/);
  expect(headers).toMatch(/access-control-allow-origin: \*/i);
  expect(headers).not.toMatch(/allow-credentials|elsewhere/i);
});
