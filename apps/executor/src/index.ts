export { startExecutor } from './executor';
export { runExecutor } from './run-executor';
export type { Executor } from './executor';
export { resourceProviders } from './attempts/resources/resource-providers';
export { installedPython, openExecutorPython, withPython } from './attempts/python/open-python';
export { openRunTraces } from './traces/open-run-traces';
