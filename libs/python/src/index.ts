export type { InstalledEnvironment } from './environment/python-environment';
export { readPythonEnvironment } from './environment/read-python-environment';
export { poolSettings } from './pool/pool-settings';
export { PythonBusyError, PythonEndedError } from './pool/pool-errors';
export { PythonPool } from './pool/python-pool';
export type { ProcessLease } from './pool/python-pool';
export { PythonRun } from './run/python-run';
export { plainValue, valueOfPlain } from './values/plain-value';
export { workerFolder } from './worker-folder';
