import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Tracks a server's connections. The returned function closes those that never received a byte from their client.
 * Clients open connections in advance, which Node.js does not count as idle, so a closing server would wait for them.
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
