export { controlHandler } from './control-handler';
export type { ControlHandlers } from './control-handler';
export { jobMessage } from './job-message';
export type { JobOrder } from './job-message';
export { PythonAnnouncement } from './python-announcement';
export type { AnnouncedPython, PythonAnnouncementOptions } from './python-announcement';
export { newRun, originOf } from './new-run';
export type { NewRunOrder } from './new-run';
