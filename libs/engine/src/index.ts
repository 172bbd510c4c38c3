export { execute, executePart } from './execute';
export { noResources } from './run/no-resources';
export { FrozenResultCache } from './vertices/frozen-result-cache';
export { combineObservers } from './observers/combine-observers';
export type { ObservedRun, ObservedVertex, RunObserver, VertexExecution } from './observers/run-observer';
export type { BuiltVertex, VertexObserver } from './observers/vertex-observer';
export type {
  FrozenResults,
  RunEffects,
  RunEnvironment,
  RunLimits,
  RunMessages,
} from './run/run-environment';
export type { VertexRecord } from './observers/vertex-record';
export type { VertexValues } from './vertices/given-values';
