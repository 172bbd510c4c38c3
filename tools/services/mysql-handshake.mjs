import { SocketReader } from './socket-reader.mjs';

/**
 * Resolves to the version that a MySQL or MariaDB server says of itself in its greeting, which it sends once it takes
 * logins.
 */
export async function mysqlHandshake(url) {
  const { hostname, port } = new URL(url);
  const reader = await SocketReader.connect({ host: hostname, port: Number(port || 3306) });
  try {
    const header = await reader.read(4);
    const greeting = await reader.read(header.readUIntLE(0, 3));
    // 10 is the protocol; an error packet begins with 255.
    if (greeting[0] !== 10) throw new Error(`the server refused: ${greeting.toString('utf8', 3)}`);
    const version = greeting.toString('utf8', 1, greeting.indexOf(0, 1));
    // MariaDB puts a version before its own, for replicas of old.
    return version.replace(/^5\.5\.5-/, '').replace(/-.*$/s, '');
  } finally {
    reader.close();
  }
}
