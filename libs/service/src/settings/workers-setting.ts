import { availableParallelism } from 'node:os';
import { setting } from './setting';

const MAXIMUM = 256;

/** Number of worker processes of a service; `auto` and 0 mean one per core. */
export const workersSetting = setting<number, { readonly description: string; readonly default: number }>(
  'integer | auto',
  {
    default: 1,
    description:
      'Number of processes that share the port or the queue of this service; with two or more, another process supervises them. `auto` or 0: one per core. `--workers` overrides it.',
  },
  (text) => {
    if (text.trim() === 'auto') return availableParallelism();
    const count = /^\d{1,3}$/.test(text.trim()) ? Number(text) : NaN;
    if (!(count <= MAXIMUM)) throw new Error(`must be auto or a whole number up to ${MAXIMUM}`);
    return count === 0 ? availableParallelism() : count;
  },
  String,
);
