import type { BrokerNames } from './topology';

/** What must exist on the broker, as data: the shape that a message bus provisions. */
interface BrokerTopology {
  readonly exchanges: readonly { readonly name: string; readonly kind: 'direct' | 'fanout' }[];
  readonly queues: readonly BrokerQueue[];
  readonly bindings: readonly {
    readonly exchange: string;
    readonly queue: string;
    readonly routingKey: string;
  }[];
}

interface BrokerQueue {
  readonly name: string;
  readonly kind: 'classic' | 'quorum';
  readonly exclusive?: boolean;
  readonly deliveryLimit?: number;
  readonly maximumLength?: number;
  readonly overflow?: 'reject-publish' | 'drop-head';
  readonly messageTtlMilliseconds?: number;
  readonly deadLetterExchange?: string;
  readonly deadLetterRoutingKey?: string;
  readonly deadLetterStrategy?: 'at-least-once' | 'at-most-once';
  readonly isRenewable?: boolean;
}

/** Its callers have left long before. */
const MOST_STANDBY_DELIVERIES = 20;
const QUARANTINE_KEY = 'quarantine';
/** Where on the dead-letter exchange what is dead goes. */
export const DEAD_KEY = 'dead';
/** Waiting runs of one pool; more are refused, and their rows wait for the sweeper. */
const LONGEST_BACKLOG = 1_000_000;
/** Older poison makes room for newer: a full graveyard must not hold up the quarantine. Its rows are kept. */
const MOST_DEAD = 100_000;
/** Replies and control messages are hints that nobody needs after a minute. */
const HINT_LIFETIME_MILLISECONDS = 60_000;
const MOST_REPLIES_WAITING = 20_000;
const MOST_CONTROL_WAITING = 10_000;
const MOST_FLOW_EVENTS_WAITING = 2_000;
/** Frames of runs that are followed wait for any gateway: for the next one, when the last one died. */
const EVENTS_LIFETIME_MILLISECONDS = 600_000;
const MOST_EVENTS_WAITING = 100_000;

/**
 * Where runs wait. Interactive lanes are classic queues of transient messages, which expire with their deadline.
 * Background lanes are quorum queues: what comes back six times, or is discarded, goes to the quarantine, and what
 * comes back from there three times is dead. The limits are explicit, since RabbitMQ 3.10 has none and 4.x 20.
 */
export function runsTopology(names: BrokerNames, pools: readonly string[]): BrokerTopology {
  const { runsExchange, deadExchange, quarantineQueue, deadQueue } = names;
  // At-least-once dead lettering works on full queues that refuse; RabbitMQ falls back to at-most-once otherwise.
  const keptUntilDead = {
    kind: 'quorum',
    maximumLength: LONGEST_BACKLOG,
    overflow: 'reject-publish',
    deadLetterExchange: deadExchange,
    deadLetterStrategy: 'at-least-once',
    // The rows of runs are kept in the database, and the sweeper publishes again what has no message.
    isRenewable: true,
  } as const;
  return {
    exchanges: [
      { name: runsExchange, kind: 'direct' },
      { name: deadExchange, kind: 'direct' },
    ],
    // The graves come first: nothing may die before they are there.
    queues: [
      { name: deadQueue, kind: 'quorum', maximumLength: MOST_DEAD, overflow: 'drop-head' },
      { ...keptUntilDead, name: quarantineQueue, deliveryLimit: 2, deadLetterRoutingKey: DEAD_KEY },
      ...pools.flatMap((pool): BrokerQueue[] => [
        { name: names.lane('interactive', pool), kind: 'classic' },
        {
          ...keptUntilDead,
          name: names.lane('background', pool),
          deliveryLimit: 5,
          deadLetterRoutingKey: QUARANTINE_KEY,
        },
      ]),
    ],
    bindings: [
      { exchange: deadExchange, queue: deadQueue, routingKey: DEAD_KEY },
      { exchange: deadExchange, queue: quarantineQueue, routingKey: QUARANTINE_KEY },
      ...pools.flatMap((pool) =>
        (['interactive', 'background'] as const).map((lane) => ({
          exchange: runsExchange,
          queue: names.lane(lane, pool),
          routingKey: names.routingKey(lane, pool),
        })),
      ),
    ],
  };
}

/**
 * Where runs whose callers wait go while their lane does not answer: it is a classic queue, which lives on one node of a
 * cluster and writes nothing to disk; this one has a copy on each node. Executors declare it, so it is there only where
 * an executor consumes from it.
 */
export function standbyTopology(names: BrokerNames, pool: string): BrokerTopology {
  const queue = names.standbyLane(pool);
  return {
    exchanges: [{ name: names.runsExchange, kind: 'direct' }],
    queues: [
      {
        name: queue,
        kind: 'quorum',
        maximumLength: LONGEST_BACKLOG,
        overflow: 'reject-publish',
        deliveryLimit: MOST_STANDBY_DELIVERIES,
        isRenewable: true,
      },
    ],
    bindings: [{ exchange: names.runsExchange, queue, routingKey: names.standbyKey(pool) }],
  };
}

/** What a process needs to hear control messages: a queue of its own behind the fanout exchange. */
export function controlTopology(names: BrokerNames, instance: string): BrokerTopology {
  const queue = names.control(instance);
  return {
    exchanges: [{ name: names.controlExchange, kind: 'fanout' }],
    queues: [hintQueue(queue, MOST_CONTROL_WAITING)],
    bindings: [{ exchange: names.controlExchange, queue, routingKey: '' }],
  };
}

/** Where a gateway process gets its replies, over the default exchange. */
export function replyTopology(names: BrokerNames, instance: string): BrokerTopology {
  return { exchanges: [], queues: [hintQueue(names.reply(instance), MOST_REPLIES_WAITING)], bindings: [] };
}

/** Where the frames of runs go that any gateway may follow: one queue for all of them, over the default exchange. */
export function runEventsTopology(names: BrokerNames): BrokerTopology {
  const queue: BrokerQueue = {
    name: names.runEvents,
    kind: 'classic',
    maximumLength: MOST_EVENTS_WAITING,
    overflow: 'reject-publish',
    messageTtlMilliseconds: EVENTS_LIFETIME_MILLISECONDS,
  };
  return { exchanges: [], queues: [queue], bindings: [] };
}

/** Where a gateway process hears of the background runs of watched flows, over the default exchange. */
export function flowEventsTopology(names: BrokerNames, instance: string): BrokerTopology {
  const queue = hintQueue(names.flowEvents(instance), MOST_FLOW_EVENTS_WAITING);
  return { exchanges: [], queues: [queue], bindings: [] };
}

function hintQueue(name: string, maximumLength: number): BrokerQueue {
  return {
    name,
    kind: 'classic',
    exclusive: true,
    maximumLength,
    overflow: 'drop-head',
    messageTtlMilliseconds: HINT_LIFETIME_MILLISECONDS,
  };
}
