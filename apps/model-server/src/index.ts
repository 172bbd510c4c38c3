export { startModelServer } from './start-model-server';
export type { ModelServer } from './start-model-server';
export { modelServerSettings } from './settings';
