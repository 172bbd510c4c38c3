export { openStandalone } from './open-standalone';
export type { OpenStandaloneOptions, Standalone } from './open-standalone';
export { standaloneSettings } from './settings';
