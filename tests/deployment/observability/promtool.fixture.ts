import { join } from 'node:path';

/** Returns the path of promtool, which Prometheus's packages install beside it. */
export function promtoolPath(): string {
  const prometheus = process.env['PROMETHEUS'];
  if (!prometheus) throw new Error('PROMETHEUS is not set: npm test finds or installs the program');
  return join(prometheus, '..', 'promtool');
}
