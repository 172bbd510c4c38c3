import backlog from './backlog.mjs';
import badNetworks from './bad-networks.mjs';
import brokerKills from './broker-kills.mjs';
import brokerStops from './broker-stops.mjs';
import channelsClosed from './channels-closed.mjs';
import clockSkew from './clock-skew.mjs';
import connectionsClosed from './connections-closed.mjs';
import cutConnections from './cut-connections.mjs';
import databaseFull from './database-full.mjs';
import databaseOutages from './database-outages.mjs';
import databaseReadOnly from './database-read-only.mjs';
import deletedQueues from './deleted-queues.mjs';
import executorKills from './executor-kills.mjs';
import failingFlows from './failing-flows.mjs';
import ingestKills from './ingest-kills.mjs';
import keyValueOutages from './key-value-outages.mjs';
import leavingCallers from './leaving-callers.mjs';
import partitions from './partitions.mjs';
import repeatedCuts from './repeated-cuts.mjs';
import rollingRestarts from './rolling-restarts.mjs';
import sameKeys from './same-keys.mjs';
import wedgedQueue from './wedged-queue.mjs';

/**
 * Each is { id, title, mustHold, strike, limits }. `strike(site)` makes the fault, proves that it happened, heals it and
 * resolves to its evidence; with `site.isAlone` it does so as often as its row demands. `limits` compares figures;
 * `environment`, where there is one, gives what services must be told when it strikes alone; `isWithoutPooler` marks one
 * that means nothing to services behind a pooler.
 */
export const allFaults = [
  executorKills,
  ingestKills,
  brokerKills,
  brokerStops,
  connectionsClosed,
  partitions,
  badNetworks,
  keyValueOutages,
  databaseOutages,
  rollingRestarts,
  backlog,
  leavingCallers,
  sameKeys,
  failingFlows,
  databaseReadOnly,
  databaseFull,
  wedgedQueue,
  deletedQueues,
  clockSkew,
  channelsClosed,
  cutConnections,
  repeatedCuts,
];

/** Those with these ids, comma separated; all that there can be without. Throws when one is unknown, or cannot be. */
export function chooseFaults(ids, { hasPooler = false } = {}) {
  const canBe = ({ isWithoutPooler = false }) => !hasPooler || !isWithoutPooler;
  if (ids === undefined) return allFaults.filter(canBe);
  return ids.split(',').map((id) => {
    const fault = allFaults.find((one) => one.id.toLowerCase() === id.trim().toLowerCase());
    if (fault === undefined)
      throw new Error(`--faults knows ${allFaults.map((one) => one.id).join(', ')}, not "${id}"`);
    if (!canBe(fault)) throw new Error(`${fault.id} needs services that reach the database without a pooler`);
    return fault;
  });
}
