import { createServer, get } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { ReservedPort, StartError } from '../index';

const place = { host: '127.0.0.1', port: 0, command: 'npm start --', besidesAnother: ' --data other' };

const ask = (port: number) =>
  new Promise<string>((resolve, reject) => {
    get({ port, host: '127.0.0.1', agent: false }, (response) => {
      response.setEncoding('utf8').once('data', resolve);
    }).once('error', reject);
  });

/** Occupies a port and answers every request with this text. */
async function occupied(answer: string) {
  const server = createServer((_, response) => response.end(answer));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port, close: () => server.close() };
}

const failure = async (port: number, host = '127.0.0.1'): Promise<StartError> => {
  const error: unknown = await ReservedPort.reserve({ ...place, port, host }).catch(
    (reason: unknown) => reason,
  );
  if (!(error instanceof StartError)) throw new Error('the port was reserved');
  return error;
};

test('the server answers callers that connected before it was ready, and later ones', async () => {
  const reserved = await ReservedPort.reserve(place);
  const early = [ask(reserved.port), ask(reserved.port)];
  const again = await failure(reserved.port);
  expect(again.message).toContain(`port ${reserved.port} is in use`);
  const server = createServer((_, response) => response.end('ready'));
  await reserved.transferTo(server);
  expect((server.address() as AddressInfo).port).toBe(reserved.port);
  expect(await Promise.all([...early, ask(reserved.port)])).toEqual(['ready', 'ready', 'ready']);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  // It is free again.
  (await ReservedPort.reserve({ ...place, port: reserved.port })).release();
});

test('releasing the port closes waiting connections', async () => {
  const reserved = await ReservedPort.reserve(place);
  const caller = connect(reserved.port, '127.0.0.1');
  const ended = new Promise((resolve) => caller.once('close', resolve));
  await new Promise((resolve) => caller.once('connect', resolve));
  reserved.release();
  await ended;
  (await ReservedPort.reserve({ ...place, port: reserved.port })).release();
});

test.each([
  ['{"package":"Langflow","version":"1.11.0"}', ', by Langflow', ''],
  ['{"package":"Millrace"}', ', by Millrace', ' --data other'],
  ['{"package":"Millrace\\u001b[2J"}', '', ''],
  ['no JSON', '', ''],
])('names the program on a port that answers %s', async (answer, by, more) => {
  const { port, close } = await occupied(answer);
  expect(await failure(port)).toMatchObject({
    message: `port ${port} is in use${by}; npm start -- --port ${port + 1}${more}`,
    exitCode: 1,
  });
  close();
});

test.each(['no-such-host.invalid', '999.1.1.1', '198.51.100.1'])(
  '%s is not an address to listen on',
  async (host) => {
    const { message, exitCode } = await failure(0, host);
    expect(message).toMatch(
      new RegExp(
        `^"${host}" is not an address of this machine \\(E[A-Z_]+\\); npm start -- --host 127.0.0.1$`,
      ),
    );
    expect(exitCode).toBe(78);
  },
);
