import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { portOf } from '@millrace/testing';

/** @import { Socket } from 'node:net' */
/** @import { ReadyMembers } from './ready-members.mjs' */

/**
 * Starts a TCP load balancer for the instances of a service: a connection goes to the next ready one that accepts it.
 * @param {ReadyMembers} members
 */
export async function startTcpBalancer(members) {
  let next = 0;
  /** @type {Set<Socket>} */
  const sockets = new Set();
  const server = createServer((client) => {
    sockets.add(client);
    client.on('error', () => undefined).on('close', () => sockets.delete(client));
    const first = next++;
    const { urls } = members;
    /**
     * @param {number} number
     * @returns {void}
     */
    const tryFrom = (number) => {
      if (number === urls.length || client.destroyed) return void client.destroy();
      const { hostname: host, port } = new URL(urls[(first + number) % urls.length]);
      const target = connect({ host, port: Number(port) });
      const refused = () => tryFrom(number + 1);
      target.once('error', refused);
      target.once('connect', () => {
        target.off('error', refused).on('error', () => client.resetAndDestroy());
        target.on('close', () => client.destroy());
        client.on('close', () => target.destroy());
        client.pipe(target).pipe(client);
      });
    };
    tryFrom(0);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${portOf(server)}`,
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        for (const socket of sockets) socket.destroy();
      }),
  };
}
