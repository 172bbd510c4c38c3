import type { Lane } from './job';

/** Returns the names of objects on the broker; `prefix` separates several installations or test runs on one broker. */
export function brokerNames(prefix = '') {
  return {
    runsExchange: `${prefix}millrace.runs`,
    deadExchange: `${prefix}millrace.dead`,
    controlExchange: `${prefix}millrace.control`,
    quarantineQueue: `${prefix}runs.quarantine`,
    deadQueue: `${prefix}runs.dead`,
    lane: (lane: Lane, pool: string) => `${prefix}runs.${lane}.${pool}`,
    routingKey: (lane: Lane, pool: string) => `${lane}.${pool}`,
    reply: (instance: string) => `${prefix}gateway.reply.${instance}`,
    /** The queue for interactive runs while the queue of their lane is on an unavailable node. */
    standbyLane: (pool: string) => `${prefix}runs.standby.${pool}`,
    standbyKey: (pool: string) => `standby.${pool}`,
    runEvents: `${prefix}gateway.run-events`,
    flowEvents: (instance: string) => `${prefix}gateway.flow-events.${instance}`,
    control: (instance: string) => `${prefix}control.${instance}`,
  };
}

export type BrokerNames = ReturnType<typeof brokerNames>;
