export { ScriptPool } from './script-pool';
export type { ScriptLimits } from './script-limits';
