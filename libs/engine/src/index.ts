export { execute, executePart } from './execute';
export { noResources } from './no-resources';
export { FrozenResultCache } from './frozen-result-cache';
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
