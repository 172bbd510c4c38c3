// For tests of other projects.
export { recordingRunObserver } from './recording-run-observer';
