import { describeAlerts } from './alerts/alerts.contract';
import { describeAudit } from './audit/audit.contract';
import { describeAuditChain } from './audit/audit-chain.contract';
import { describeAuthorCode } from './author-code/author-code.contract';
import { describeBudgets, describeBudgetsOfMembers } from './budgets/budgets.contract';
import { describeCallbacks } from './callbacks/callbacks.contract';
import { describeEffects } from './effects/effects.contract';
import { describeErasure } from './erasure/erasure.contract';
import { describeFiles } from './files/files.contract';
import { describeFlowVersions } from './flows/flow-versions.contract';
import { describeFlowVersionTokens } from './flows/flow-version-token.contract';
import { describeFlows } from './flows/flows.contract';
import { describeImports } from './imports/imports.contract';
import { describeMcpServers } from './mcp-servers/mcp-servers.contract';
import { describeMessages } from './messages/messages.contract';
import { describeProjects } from './projects/projects.contract';
import { describeBulkRuns } from './runs/changes/bulk-runs.contract';
import { describeDeadLetters } from './runs/attempts/dead-letters.contract';
import { describeEndedRuns } from './runs/attempts/ended-runs.contract';
import { describeInteractiveRuns } from './runs/interactive-runs.contract';
import { describeRetention } from './retention/retention.contract';
import { describePrunedRecords } from './runs/pruning/pruned-records.contract';
import { describeRunAcceptance } from './runs/run-acceptance.contract';
import { describeRunBacklog } from './runs/backlog/run-backlog.contract';
import { describeRunClaims } from './runs/attempts/run-claims.contract';
import { describeHeartbeats } from './runs/attempts/heartbeats.contract';
import { describeBacklogCounts } from './runs/backlog/backlog-counts.contract';
import { describeRunAttempts } from './runs/attempts/run-attempts.contract';
import { describeCrashBackoff } from './runs/attempts/crash-backoff.contract';
import { describeRepeatedClaims } from './runs/attempts/repeated-claims.contract';
import { describeWaitingRuns } from './runs/backlog/waiting-runs.contract';
import { describeRunHistory } from './runs/search/run-history.contract';
import { describeRunSearch } from './runs/search/run-search.contract';
import { describeSearchWindows } from './runs/search/windows.contract';
import { describeStatementPlans } from './runs/statement-plans.contract';
import { describeRunSweep } from './runs/backlog/run-sweep.contract';
import { describeOpenRequests } from './runs/suspension/open-requests.contract';
import { describeSuspensions } from './runs/suspension/suspensions.contract';
import { describeSealedRequests } from './encryption/sealed-requests.contract';
import { describeRefusedDeliveries } from './refused-deliveries/refused-deliveries.contract';
import type { TestDatabase } from './testing/open-test-database';
import { describeTextTemplates } from './text-templates/text-templates.contract';
import { describeTraces } from './traces/traces.contract';
import { describeQueueSources } from './triggers/queue-sources.contract';
import { describeSchedules } from './triggers/schedules.contract';
import { describeTriggers } from './triggers/triggers.contract';
import { describeUnreadableRows } from './unreadable-rows.contract';
import { describeUsage } from './usage/usage.contract';
import { describeUsers } from './users/users.contract';
import { describeEncryptionKey } from './encryption/encryption-key.contract';
import { describeReencryption } from './encryption/reencryption.contract';
import { describeVariables } from './variables/variables.contract';
import { describeVectors } from './vectors/vectors.contract';

const contracts = [
  describeUsers,
  describeProjects,
  describeFlows,
  describeFlowVersions,
  describeFlowVersionTokens,
  describeFiles,
  describeVariables,
  describeEncryptionKey,
  describeReencryption,
  describeImports,
  describeMcpServers,
  describeAuthorCode,
  describeVectors,
  describeMessages,
  describeBudgets,
  describeBudgetsOfMembers,
  describeUsage,
  describeAlerts,
  describeTextTemplates,
  describeRunAcceptance,
  describeRunClaims,
  describeHeartbeats,
  describeInteractiveRuns,
  describeOpenRequests,
  describeSuspensions,
  describeRunSweep,
  describeCrashBackoff,
  describeRepeatedClaims,
  describeRunAttempts,
  describeRefusedDeliveries,
  describeBacklogCounts,
  describeEffects,
  describeUnreadableRows,
  describeErasure,
  describeEndedRuns,
  describeRunBacklog,
  describeWaitingRuns,
  describeRunHistory,
  describeRunSearch,
  describeSearchWindows,
  describeStatementPlans,
  describeBulkRuns,
  describeSealedRequests,
  describeDeadLetters,
  describePrunedRecords,
  describeRetention,
  describeTraces,
  describeTriggers,
  describeQueueSources,
  describeSchedules,
  describeCallbacks,
  describeAudit,
  describeAuditChain,
];

/** Runs the contracts of all stores on one database. */
export function describeStores(name: string, open: () => Promise<TestDatabase>): void {
  let opened: TestDatabase;

  beforeAll(async () => {
    opened = await open();
  }, 60_000);
  afterAll(() => opened.close());

  for (const describeContract of contracts) describeContract(name, () => opened);
}
