export { ScriptPool } from './script-pool';
