import type { Lane } from './job';

/** Names on the broker; `prefix` keeps several installations or test runs apart on one broker. */
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
    /** Where runs whose callers wait go while their lane is on a node that does not answer. */
    standbyLane: (pool: string) => `${prefix}runs.standby.${pool}`,
    standbyKey: (pool: string) => `standby.${pool}`,
    runEvents: `${prefix}gateway.run-events`,
    flowEvents: (instance: string) => `${prefix}gateway.flow-events.${instance}`,
    control: (instance: string) => `${prefix}control.${instance}`,
  };
}

export type BrokerNames = ReturnType<typeof brokerNames>;
