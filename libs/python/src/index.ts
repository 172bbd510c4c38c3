export { requiredLfx } from './environment/python-environment';
export type { FoundEnvironment, InstalledEnvironment } from './environment/python-environment';
export { readPythonEnvironment } from './environment/read-python-environment';
export { defaultPoolLimits, poolSettings } from './pool/pool-settings';
export type {
  EgressOptions,
  LeaseKey,
  PoolLimits,
  PoolSettings,
  PoolSettingValues,
  SealSettings,
} from './pool/pool-settings';
export { PythonBusyError, PythonEndedError } from './pool/pool-errors';
export { PythonPool } from './pool/python-pool';
export type { PoolOptions, PoolState, ProcessLease } from './pool/python-pool';
export type { ProcessState } from './pool/pool-metrics';
export type { SealLevel, SealState } from './process/seal-state';
export { PythonFailure } from './process/python-failure';
export { checkText } from './run/check-text';
export { PythonRun } from './run/python-run';
export { workerFolder } from './worker-folder';
