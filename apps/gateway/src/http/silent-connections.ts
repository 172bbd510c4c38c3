import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Keeps track of a server's connections; the returned function ends those that never sent a byte. Clients open some
 * ahead of time, and a server that closes waits for them: to Node.js they are not idle.
 */
export function trackSilentConnections(server: Server): () => void {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return () => {
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
  };
}
