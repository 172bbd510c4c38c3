import { join } from 'node:path';
import { createLogger, createMetrics } from '@millrace/service';
import { PythonPool, defaultPoolLimits } from '../index';
import type { PoolLimits, PoolSettings } from '../index';

/** The folder with the package of the Python worker. */
export const workerFolder = join(__dirname, '../../../../apps/python-worker');

const testLogLevel = 'silent';

/** Opens a pool that waits long enough for a busy machine. */
export function openTestPool(
  python: string,
  {
    limits = {},
    ...settings
  }: Partial<Omit<PoolSettings, 'limits'>> & { readonly limits?: Partial<PoolLimits> } = {},
): Promise<PythonPool> {
  return PythonPool.open({
    settings: {
      python,
      workerFolder,
      readyProcesses: 1,
      maximumProcesses: 4,
      reuse: 'same-flow',
      seal: null,
      ...settings,
      limits: { ...defaultPoolLimits, waitMilliseconds: 60_000, ...limits },
    },
    logger: createLogger({ name: 'test', level: testLogLevel }),
    metrics: createMetrics(),
  });
}
