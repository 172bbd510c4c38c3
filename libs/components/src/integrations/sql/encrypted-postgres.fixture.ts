import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/** A self-signed certificate for "localhost", used only in this test. */
const cert = `-----BEGIN CERTIFICATE-----
MIIBnDCCAUGgAwIBAgIUSJ8f5UARyf0Z4/n7JdbUI2FZSPAwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMjAxMzgzNFoYDzIxMjYxMDI5
MDEzODM0WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAASM68Ctx7C3uVFyvv7erh8k7hARZr4PiIQ3HjTW78+XN+6FBOR2XzDK
vivb6aOMrMSp0TtH/U0ILksWbKUUElzyo28wbTAdBgNVHQ4EFgQUmK7QcgBs4ouC
dWpZkuaHxXBzOA4wHwYDVR0jBBgwFoAUmK7QcgBs4ouCdWpZkuaHxXBzOA4wDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSQAwRgIhAJKCjSe+3/kiH6m1ZsLF/XIS6A3w6SeoNA+xJcOAhwILAiEA
zd/gy7e/qkOaFrcTR9Hc2NCrPKWHxXH2nBBueAHgmis=
-----END CERTIFICATE-----`;
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgKZdvsZHS9yNCPg7F
0UR6xyuxffaVkaYxry2RyYlDi1KhRANCAASM68Ctx7C3uVFyvv7erh8k7hARZr4P
iIQ3HjTW78+XN+6FBOR2XzDKvivb6aOMrMSp0TtH/U0ILksWbKUUElzy
-----END PRIVATE KEY-----`;

export interface EncryptedPostgres {
  readonly port: number;
  close(): Promise<void>;
}

/** Starts a TLS proxy in front of a PostgreSQL server that may not support TLS. */
export async function startEncryptedPostgres(backend: URL): Promise<EncryptedPostgres> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    // The SSLRequest message has eight bytes; the reply is one byte.
    socket.once('data', () => {
      socket.write('S');
      const plaintext = new TLSSocket(socket, { isServer: true, cert, key });
      const target = connect(Number(backend.port || 5432), backend.hostname);
      sockets.add(target.on('error', () => undefined));
      plaintext.on('error', () => target.destroy()).pipe(target);
      target.pipe(plaintext);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}
