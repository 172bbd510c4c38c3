import { availableParallelism } from 'node:os';
import { setting } from './setting';

const MAXIMUM = 256;

/** How many processes a service consists of; `auto` and 0 are one for each core. */
export const workersSetting = setting<number, { readonly description: string; readonly default: number }>(
  'integer \\| auto',
  {
    default: 1,
    description:
      'How many processes share the port or the queue of this service; from two on another one supervises them. `auto` or 0: one for each core. `--workers` overrides it.',
  },
  (text) => {
    if (text.trim() === 'auto') return availableParallelism();
    const count = /^\d{1,3}$/.test(text.trim()) ? Number(text) : NaN;
    if (!(count <= MAXIMUM)) throw new Error(`must be auto or a whole number up to ${MAXIMUM}`);
    return count === 0 ? availableParallelism() : count;
  },
  String,
);
