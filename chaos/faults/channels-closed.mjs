import { setTimeout as pause } from 'node:timers/promises';
import { require } from './evidence.mjs';

/** @import { Fault } from '../fault.ts' */
/** @import { Broker } from '../servers.mjs' */

const TIMEOUT_MILLISECONDS = 3_000;
const TICK_MILLISECONDS = 1_000;
/** The defaults of RabbitMQ. */
const USUAL = { consumer_timeout: 1_800_000, channel_tick_interval: 60_000 };
/** Longer than the broker waits for an acknowledgement. */
const RUN_MILLISECONDS = 8_000;
const CLOSED = 'RabbitMQ closed a channel; reopening it';

/** @type {Fault} */
export default {
  id: 'F20',
  title: 'the broker closes channels whose deliveries take too long (consumer_timeout)',
  mustHold: 'no run is attempted again while its executor is running; no effect is repeated; no dead letters',
  async inject({ servers: { broker }, load, logs, note, signal, isAlone }) {
    const before = logs.count(CLOSED);
    await configure(broker, {
      consumer_timeout: TIMEOUT_MILLISECONDS,
      channel_tick_interval: TICK_MILLISECONDS,
    });
    for (let number = 0; number < (isAlone ? 6 : 2) && !signal.aborted; number += 1) {
      for (let run = 0; run < 3; run += 1) {
        void load.sendSlowWebhook(RUN_MILLISECONDS);
        void load.sendSlowRun(RUN_MILLISECONDS);
      }
      await pause(RUN_MILLISECONDS + 2_000);
    }
    const closed = logs.count(CLOSED) - before;
    await configure(broker, USUAL);
    require(closed > 0, 'no channel was closed');
    note(`${closed} channels were closed`);
    return { closed };
  },
  limits: ({ figures }) => [
    { what: 'attempts that count as failed', limit: 0, value: figures.failedAttempts },
    { what: 'effects repeated', limit: 0, value: figures.sinkDuplicates },
    { what: 'dead letters', limit: 0, value: figures.deadLetters },
  ],
};

/**
 * Applies settings. A channel keeps the settings of the time when it was opened, so close all connections.
 * @param {Broker} broker
 * @param {Readonly<Record<string, number>>} settings
 */
async function configure(broker, settings) {
  for (const [name, value] of Object.entries(settings))
    await broker.control('eval', `application:set_env(rabbit, ${name}, ${value}).`);
  await broker.control('close_all_connections', 'chaos');
  await pause(3_000);
}
