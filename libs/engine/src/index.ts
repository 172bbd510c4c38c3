export { execute, executePart } from './execute';
export { noResources } from './no-resources';
export { FrozenResultCache } from './frozen-result-cache';
export { combineObservers } from './combine-observers';
export type { ObservedRun, ObservedVertex, RunObserver, VertexExecution } from './run-observer';
export type { BuiltVertex, VertexObserver } from './vertex-observer';
export type {
  FrozenResult,
  FrozenResults,
  RunEffects,
  RunEnvironment,
  RunLimits,
  RunMessages,
  VertexBudget,
  VertexReport,
} from './run-environment';
export type { VertexRecord } from './vertex-record';
export type { VertexValues } from './given-values';
