// Starts a RabbitMQ with TLS for clients without a certificate, for tests:
//   node tls-broker.mjs <folder for its files> <folder of ca.pem, server.pem, server-key.pem>
// Prints { url, tlsPort } as a line of JSON, runs until standard input ends, then stops the broker.
import { once } from 'node:events';
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { startPrivateRabbitmq } from './private-rabbitmq.mjs';

const [directory, certificates] = process.argv.slice(2);
mkdirSync(directory, { recursive: true, mode: 0o755 });
const [ca, cert, key] = ['ca.pem', 'server.pem', 'server-key.pem'].map((name) => {
  copyFileSync(join(certificates, name), join(directory, name));
  return join(directory, name);
});
const broker = await startPrivateRabbitmq({
  directory: join(directory, 'rabbitmq'),
  tls: { ca, cert, key, clientsHaveCertificates: false },
});
process.stdout.write(`${JSON.stringify({ url: broker.url, tlsPort: broker.tlsPort })}\n`);
process.stdin.resume();
await once(process.stdin, 'end');
await broker.stop();
