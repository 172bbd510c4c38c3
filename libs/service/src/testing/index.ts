export { propertyCases } from './property-cases';
export { recordingLogger } from './recording-logger';
export type { LogLine } from './recording-logger';
export { testSeed } from './test-seed';
export { until, untilSuccess } from './until';
