export { startExecutor } from './executor';
export { runExecutor } from './run-executor';
export type { Executor } from './executor';
export { attemptLimits } from './attempts/attempt-limits';
export { resourceProviders } from './attempts/resources/resource-providers';
export { recordingOf } from './attempts/vertex-records/recording-of';
export { addPythonHealth, installedPython, openPython, withPython } from './attempts/python/open-python';
export { openRunTraces } from './traces/open-run-traces';
