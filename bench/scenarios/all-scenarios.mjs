import { manyConnections, mostConnections, oneConnection } from './interactive-runs.mjs';
import backlog from './backlog.mjs';
import backlogDepths from './backlog-depths.mjs';
import cachedRuns from './cached-runs.mjs';
import embeddedRuns from './embedded-runs.mjs';
import embeddedWebhooks from './embedded-webhooks.mjs';
import engineOverhead from './engine-overhead.mjs';
import floodingCallers from './flooding-callers.mjs';
import floodingUser from './flooding-user.mjs';
import langflowShaped from './langflow-shaped.mjs';
import memory from './memory.mjs';
import moreExecutors from './more-executors.mjs';
import moreGateways from './more-gateways.mjs';
import { observability } from './observability.mjs';
import overloadedPool from './overloaded-pool.mjs';
import { manyCallersOfPeers, oneCallerOfPeers } from './peers.mjs';
import refusedKeys from './refused-keys.mjs';
import { payloadSizes, vertices } from './run-sizes.mjs';
import streamedRuns from './streamed-runs.mjs';
import tenants from './tenants.mjs';
import webhooks from './webhooks.mjs';

/** @import { Scenario } from '../scenario.ts' */

/**
 * In the order in which they run.
 * @type {readonly Scenario[]}
 */
const allScenarios = [
  oneConnection,
  manyConnections,
  mostConnections,
  webhooks,
  embeddedRuns,
  engineOverhead,
  moreExecutors,
  streamedRuns,
  cachedRuns,
  backlog,
  memory,
  overloadedPool,
  floodingUser,
  floodingCallers,
  refusedKeys,
  langflowShaped,
  moreGateways,
  payloadSizes,
  vertices,
  backlogDepths,
  tenants,
  embeddedWebhooks,
  ...observability,
];

/** @type {readonly Scenario[]} */
const peerScenarios = [oneCallerOfPeers, manyCallersOfPeers];

/**
 * Returns the scenarios whose ids are listed, such as `B2,B3`; all without a list. `withPeers` chooses among those with
 * other products. Throws for an unknown id.
 * @param {string | undefined} list
 * @param {{ readonly withPeers?: boolean }} [options]
 */
export function chooseScenarios(list, { withPeers = false } = {}) {
  const scenarios = withPeers ? peerScenarios : allScenarios;
  if (list === undefined) return scenarios;
  return list.split(',').map((id) => {
    const scenario = scenarios.find((one) => one.id === id.trim().toUpperCase());
    if (scenario === undefined)
      throw new Error(`--scenario must be of ${scenarios.map((one) => one.id).join(', ')}, not "${id}"`);
    return scenario;
  });
}
