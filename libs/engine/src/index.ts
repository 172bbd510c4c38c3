export { execute } from './execute';
export { noResources } from './no-resources';
export { FrozenResultCache } from './frozen-result-cache';
export type {
  FrozenResult,
  FrozenResults,
  RunEnvironment,
  RunLimits,
  RunMessages,
  VertexReport,
} from './run-environment';
