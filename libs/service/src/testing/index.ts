export { propertyCases } from './property-cases';
export { testSeed } from './test-seed';
export { until, untilSuccess } from './until';
