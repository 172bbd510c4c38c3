import cluster from 'node:cluster';
import { createServer } from 'node:net';
import type { Server } from 'node:net';

/** Codes of systems that cannot share a port among sockets. */
const UNSUPPORTED = new Set(['ENOTSUP', 'EOPNOTSUPP', 'ENOPROTOOPT', 'EINVAL']);

/**
 * Lets a server listen so that further sockets of this process can listen on the same port (SO_REUSEPORT). Resolves to false
 * where the system cannot do so, and in workers of a cluster, whose supervisor accepts. Rejects when the address is not
 * available, as without sharing.
 */
export async function listenShared(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<boolean> {
  if (cluster.isWorker || process.platform !== 'linux') {
    await listening(server, { host, port, reusePort: false });
    return false;
  }
  // A port that another process shares would count as available.
  if (port !== 0) await assertAvailable({ host, port });
  try {
    await listening(server, { host, port, reusePort: true });
    return true;
  } catch (error) {
    if (!UNSUPPORTED.has(String((error as NodeJS.ErrnoException).code))) throw error;
  }
  await listening(server, { host, port, reusePort: false });
  return false;
}

/** Lets a further socket listen on a port that is shared. */
export function listenAlso(
  server: Server,
  address: { readonly host: string; readonly port: number },
): Promise<void> {
  return listening(server, { ...address, reusePort: true });
}

async function assertAvailable(address: { readonly host: string; readonly port: number }): Promise<void> {
  const probe = createServer();
  await listening(probe, { ...address, reusePort: false });
  await new Promise<void>((resolve) => probe.close(() => resolve()));
}

function listening(
  server: Server,
  options: { readonly host: string; readonly port: number; readonly reusePort: boolean },
): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(options, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
