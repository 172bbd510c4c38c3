export { controlHandler } from './control-handler';
export type { ControlHandlers } from './control-handler';
export { jobMessage } from './job-message';
export type { JobOrder } from './job-message';
