import type { Server } from 'node:http';

/**
 * Stops accepting connections and waits for the answers of requests in flight. Connections that are open at the deadline
 * are closed.
 */
export async function stopServer(server: Server, deadlineMilliseconds: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const overdue = setTimeout(() => server.closeAllConnections(), deadlineMilliseconds);
  await closed;
  clearTimeout(overdue);
}
