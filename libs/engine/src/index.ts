export { execute } from './execute';
export type { RunEnvironment, RunLimits, RunMessages, VertexReport } from './run-environment';
