export { noteFigures } from './note-figures';
export type { Figure } from './note-figures';
export { propertyCases } from './property-cases';
export { testSeed } from './test-seed';
export { until, untilSuccess } from './until';
