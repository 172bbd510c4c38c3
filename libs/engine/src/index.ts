export { execute, executePart } from './execute';
export { noResources } from './run/no-resources';
export { FrozenResultCache } from './vertices/frozen-result-cache';
export { combineObservers } from './observers/combine-observers';
export type { ObservedRun, ObservedVertex, RunObserver, VertexExecution } from './run/run-observer';
export type { BuildDetails, BuiltVertex, VertexObserver } from './run/vertex-observer';
export type {
  FrozenResults,
  KeptResult,
  RunCheckpoint,
  RunEffects,
  RunEnvironment,
  RunLimits,
  RunMessages,
} from './run/run-environment';
export type { VertexRecord } from './run/vertex-record';
export type { VertexValues } from './run/given-values';
