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
    runEvents: `${prefix}gateway.run-events`,
    flowEvents: (instance: string) => `${prefix}gateway.flow-events.${instance}`,
    control: (instance: string) => `${prefix}control.${instance}`,
  };
}

export type BrokerNames = ReturnType<typeof brokerNames>;
