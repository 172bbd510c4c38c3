export { noteFigures } from './note-figures';
export type { Figure } from './note-figures';
export { until, untilSuccess } from './until';
