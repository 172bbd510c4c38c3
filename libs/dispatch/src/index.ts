export { controlHandler } from './control-handler';
export type { ControlHandlers } from './control-handler';
export { jobMessage } from './job-message';
export type { JobOrder } from './job-message';
export { newRun, originOf } from './new-run';
export type { NewRunOrder } from './new-run';
