import type { BrokerNames } from './topology';

/** The required objects on the broker, as data in the shape that a message bus provisions. */
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
  readonly isRecreatable?: boolean;
}

/** By then the callers of the run have disconnected. */
const MAXIMUM_STANDBY_DELIVERIES = 20;
const QUARANTINE_KEY = 'quarantine';
/** Routing key of dead runs on the dead-letter exchange. */
export const DEAD_KEY = 'dead';
/**
 * Maximum number of queued runs of one pool; more are refused, and the sweeper publishes them later from their rows.
 */
const MAXIMUM_LANE_LENGTH = 1_000_000;
/** The oldest dead letters are dropped: a full dead-letter queue must not block the quarantine. Their rows are kept. */
const MAXIMUM_DEAD_LETTERS = 100_000;
/** Replies and control messages are irrelevant after a minute. */
const TRANSIENT_TTL_MILLISECONDS = 60_000;
const MAXIMUM_QUEUED_REPLIES = 20_000;
const MAXIMUM_QUEUED_CONTROL_MESSAGES = 10_000;
const MAXIMUM_QUEUED_FLOW_EVENTS = 2_000;
/** Frames of followed runs wait for any gateway, also for one that starts after a crash. */
const RUN_EVENTS_TTL_MILLISECONDS = 600_000;
const MAXIMUM_QUEUED_RUN_EVENTS = 100_000;

/**
 * Returns the queues of runs. Interactive lanes are classic queues of transient messages, which expire with their
 * deadline. Background lanes are quorum queues: a message that is returned six times or discarded goes to the
 * quarantine, and one that is returned from there three times to the dead-letter queue. The limits are explicit,
 * because RabbitMQ 3.10 has none by default and 4.x has 20.
 */
export function runsTopology(names: BrokerNames, pools: readonly string[]): BrokerTopology {
  const { runsExchange, deadExchange, quarantineQueue, deadQueue } = names;
  // At-least-once dead-lettering requires the overflow policy reject-publish; otherwise RabbitMQ falls back to
  // at-most-once.
  const deadLettered = {
    kind: 'quorum',
    maximumLength: MAXIMUM_LANE_LENGTH,
    overflow: 'reject-publish',
    deadLetterExchange: deadExchange,
    deadLetterStrategy: 'at-least-once',
    // The queue can be recreated empty: the rows of runs are in the database, and the sweeper republishes runs without
    // a message.
    isRecreatable: true,
  } as const;
  return {
    exchanges: [
      { name: runsExchange, kind: 'direct' },
      { name: deadExchange, kind: 'direct' },
    ],
    // Declare dead-letter queues first, before any message can be dead-lettered.
    queues: [
      { name: deadQueue, kind: 'quorum', maximumLength: MAXIMUM_DEAD_LETTERS, overflow: 'drop-head' },
      { ...deadLettered, name: quarantineQueue, deliveryLimit: 2, deadLetterRoutingKey: DEAD_KEY },
      ...pools.flatMap((pool): BrokerQueue[] => [
        { name: names.lane('interactive', pool), kind: 'classic' },
        {
          ...deadLettered,
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
 * Returns the standby queue of a pool, for interactive runs while the queue of their lane is unavailable. The lane is a
 * classic queue, which is on one node of a cluster and writes nothing to disk; the standby queue has a replica on each
 * node. Executors declare it, so it exists only where an executor consumes from it.
 */
export function standbyTopology(names: BrokerNames, pool: string): BrokerTopology {
  const queue = names.standbyLane(pool);
  return {
    exchanges: [{ name: names.runsExchange, kind: 'direct' }],
    queues: [
      {
        name: queue,
        kind: 'quorum',
        maximumLength: MAXIMUM_LANE_LENGTH,
        overflow: 'reject-publish',
        deliveryLimit: MAXIMUM_STANDBY_DELIVERIES,
        isRecreatable: true,
      },
    ],
    bindings: [{ exchange: names.runsExchange, queue, routingKey: names.standbyKey(pool) }],
  };
}

/** Returns a process's queue for control messages, bound to the fanout exchange. */
export function controlTopology(names: BrokerNames, instance: string): BrokerTopology {
  const queue = names.control(instance);
  return {
    exchanges: [{ name: names.controlExchange, kind: 'fanout' }],
    queues: [transientQueue(queue, MAXIMUM_QUEUED_CONTROL_MESSAGES)],
    bindings: [{ exchange: names.controlExchange, queue, routingKey: '' }],
  };
}

/** Returns the reply queue of a gateway process, on the default exchange. */
export function replyTopology(names: BrokerNames, instance: string): BrokerTopology {
  return {
    exchanges: [],
    queues: [transientQueue(names.reply(instance), MAXIMUM_QUEUED_REPLIES)],
    bindings: [],
  };
}

/** Returns the queue for frames of runs that any gateway can follow: one for all gateways, on the default exchange. */
export function runEventsTopology(names: BrokerNames): BrokerTopology {
  const queue: BrokerQueue = {
    name: names.runEvents,
    kind: 'classic',
    maximumLength: MAXIMUM_QUEUED_RUN_EVENTS,
    overflow: 'reject-publish',
    messageTtlMilliseconds: RUN_EVENTS_TTL_MILLISECONDS,
  };
  return { exchanges: [], queues: [queue], bindings: [] };
}

/** Returns a gateway process's queue for background runs of watched flows, on the default exchange. */
export function flowEventsTopology(names: BrokerNames, instance: string): BrokerTopology {
  const queue = transientQueue(names.flowEvents(instance), MAXIMUM_QUEUED_FLOW_EVENTS);
  return { exchanges: [], queues: [queue], bindings: [] };
}

function transientQueue(name: string, maximumLength: number): BrokerQueue {
  return {
    name,
    kind: 'classic',
    exclusive: true,
    maximumLength,
    overflow: 'drop-head',
    messageTtlMilliseconds: TRANSIENT_TTL_MILLISECONDS,
  };
}
