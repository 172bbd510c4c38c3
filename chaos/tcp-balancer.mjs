import { connect, createServer } from 'node:net';

/** Starts a TCP load balancer for the instances of a service: a connection goes to the next ready one that accepts it. */
export async function startTcpBalancer(members) {
  let next = 0;
  const sockets = new Set();
  const server = createServer((client) => {
    sockets.add(client);
    client.on('error', () => undefined).on('close', () => sockets.delete(client));
    const first = next++;
    const { urls } = members;
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
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        for (const socket of sockets) socket.destroy();
      }),
  };
}
