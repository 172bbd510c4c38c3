import type { WorkerState } from '@millrace/dispatch';
import type { BacklogCount, PoolBacklog } from '@millrace/runs';

/** The runs and executors of a pool. */
export interface PoolLoad {
  readonly backlog: PoolBacklog;
  /** Messages of interactive runs that no executor has received. */
  readonly interactiveMessages: number;
  /** Runs that no executor has begun. */
  readonly waiting: number;
  /** Runs that are executed, as the executors announce them or the database has them, whichever is more. */
  readonly busy: number;
  readonly executors: number;
  readonly slots: number;
}

const NOTHING = { waiting: 0, published: 0, running: 0, oldestSeconds: null };

/** Combines the count of the backlog with the executors that announce themselves, by pool. */
export function poolLoads(
  { pools, lanes }: Pick<BacklogCount, 'pools' | 'lanes'>,
  workers: readonly Pick<WorkerState, 'pool' | 'concurrency' | 'inHand'>[],
): PoolLoad[] {
  const counted = new Map(pools.map((backlog) => [backlog.pool, backlog]));
  const queues = (lanes ?? []).filter(({ pool }) => pool !== '');
  const names = new Set([
    ...counted.keys(),
    ...queues.map(({ pool }) => pool),
    ...workers.map(({ pool }) => pool),
  ]);
  return [...names].sort().map((pool) => {
    const backlog = counted.get(pool) ?? { pool, ...NOTHING };
    const own = workers.filter((worker) => worker.pool === pool);
    const interactive = queues.filter((queue) => queue.pool === pool && queue.lane !== 'background');
    const interactiveMessages = sum(interactive.map(({ messages }) => messages));
    const consuming = queues.find((queue) => queue.pool === pool && queue.lane === 'interactive');
    return {
      backlog,
      interactiveMessages,
      waiting: backlog.waiting + backlog.published + interactiveMessages,
      busy: Math.max(backlog.running, sum(own.map(({ inHand }) => inHand))),
      executors: Math.max(own.length, consuming?.executors ?? 0),
      slots: sum(own.map(({ concurrency }) => concurrency)),
    };
  });
}

/** Returns the backlog of a pool in the shape of answers. */
export function backlogView({ backlog, interactiveMessages }: PoolLoad): object {
  return {
    waiting: backlog.waiting,
    published: backlog.published,
    running: backlog.running,
    interactive_messages: interactiveMessages,
    oldest_seconds: backlog.oldestSeconds,
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
