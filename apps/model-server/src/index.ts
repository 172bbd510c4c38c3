export { startModelServer } from './start-model-server';
export type { ModelServer, ModelServerOptions } from './start-model-server';
export { modelServerSettings } from './settings';
