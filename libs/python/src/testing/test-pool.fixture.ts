import { join } from 'node:path';
import { createLogger, createMetrics, createOutgoingDial } from '@millrace/service';
import type { Logger, Metrics } from '@millrace/service';
import { PythonPool } from '../index';
import { defaultPoolLimits } from '../pool/pool-settings';
import type { EgressOptions, PoolLimits, PoolSettings, SealSettings } from '../pool/pool-settings';

/** The folder with the package of the Python worker. */
export const workerFolder = join(__dirname, '../../../../apps/python-worker');

const testLogLevel = 'silent';

const openSeal: SealSettings = {
  level: 'off',
  memoryBytes: 2 * 1024 ** 3,
  cpuSeconds: 600,
  filesBytes: 256 * 1024 ** 2,
  processes: 128,
  openFiles: 512,
};

export interface TestPoolOptions extends Partial<Omit<PoolSettings, 'limits' | 'seal'>> {
  readonly limits?: Partial<PoolLimits>;
  readonly seal?: Partial<SealSettings>;
  readonly egress?: EgressOptions;
  readonly logger?: Logger;
  readonly metrics?: Metrics;
}

/** Opens a pool that waits long enough for a busy machine; its processes are not sealed unless the options say so. */
export function openTestPool(python: string, options: TestPoolOptions = {}): Promise<PythonPool> {
  const { limits, seal, egress, logger, metrics, ...settings } = options;
  return PythonPool.open({
    settings: {
      python,
      workerFolder,
      folder: null,
      readyProcesses: 1,
      maximumProcesses: 4,
      reuse: 'same-flow',
      ...settings,
      seal: { ...openSeal, ...seal },
      limits: {
        ...defaultPoolLimits,
        waitMilliseconds: 120_000,
        processStartMilliseconds: 60_000,
        ...limits,
      },
    },
    egress: egress ?? { dial: createOutgoingDial({ allow: [] }) },
    logger: logger ?? createLogger({ name: 'test', level: testLogLevel }),
    metrics: metrics ?? createMetrics(),
  });
}
