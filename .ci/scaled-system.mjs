// Runs gateway, ingest and executors as separate processes until SIGTERM; configured by the environment.
import { startScaledSystem } from '@millrace/scaled-system';

const {
  DATABASE_URL = '',
  AMQP_URL = '',
  REDIS_URL = '',
  MILLRACE_PREFIX,
  MILLRACE_BOOTSTRAP_API_KEY,
  PORT,
} = process.env;
const system = await startScaledSystem({
  urls: { database: DATABASE_URL, broker: AMQP_URL, keyValue: REDIS_URL },
  pools: { default: 2 },
  port: Number(PORT),
  key: MILLRACE_BOOTSTRAP_API_KEY,
  prefix: MILLRACE_PREFIX,
  print: (line) => process.stdout.write(`${line}\n`),
});
process.stdout.write('all services are ready\n');
process.once('SIGTERM', () => system.stop());
