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
import leavingCallers from './disconnecting-callers.mjs';
import partitions from './partitions.mjs';
import pythonKills from './python-kills.mjs';
import repeatedCuts from './repeated-cuts.mjs';
import rollingRestarts from './rolling-restarts.mjs';
import sameKeys from './same-keys.mjs';
import suspendedRuns from './suspended-runs.mjs';
import timeOuts from './time-outs.mjs';
import wedgedQueue from './leaderless-queue.mjs';

/** @import { Fault } from '../fault.ts' */

/** @type {readonly Fault[]} */
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
  pythonKills,
  suspendedRuns,
  timeOuts,
  cutConnections,
  repeatedCuts,
];

/**
 * Returns the faults with these comma-separated ids; without ids, all that apply. Throws for one that does not.
 * @param {string | undefined} ids
 * @param {{ readonly hasPooler?: boolean, readonly hasPython?: boolean }} [options]
 */
export function chooseFaults(ids, { hasPooler = false, hasPython = false } = {}) {
  /** @param {Fault} fault */
  const canBe = ({ isWithoutPooler = false, needsPython = false }) =>
    (!hasPooler || !isWithoutPooler) && (hasPython || !needsPython);
  if (ids === undefined) return allFaults.filter(canBe);
  return ids.split(',').map((id) => {
    const fault = allFaults.find((one) => one.id.toLowerCase() === id.trim().toLowerCase());
    if (fault === undefined)
      throw new Error(`--faults must be of ${allFaults.map((one) => one.id).join(', ')}, not "${id}"`);
    if (fault.needsPython && !hasPython) throw new Error(`${fault.id} needs --python`);
    if (!canBe(fault)) throw new Error(`${fault.id} needs services that reach the database without a pooler`);
    return fault;
  });
}
