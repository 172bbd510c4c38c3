export { DuplicateError } from './duplicate-error';
export { GroupCommit } from './group-commit';
export { GroupCommitClosedError, GroupCommitFullError } from './group-commit-errors';
export { findUnreadableRows } from './find-unreadable-rows';
export { examineTexts } from './text-templates/text-places';
export { rewriteTexts } from './text-templates/rewrite-texts';
export { isInObject } from './text-templates/whole-text';
export type { RewrittenTexts } from './text-templates/rewrite-texts';
export {
  hasOtherConnections,
  HiddenConnectionError,
  REWRITE_CONNECTION,
  untilEarlierService,
  whileTextsAreWhole,
} from './text-templates/while-texts-are-whole';
export { isRowError } from './is-row-error';
export { openOutsideSecrets } from './variables/outside/outside-secrets';
export { SecretStoreUnavailableError } from './variables/outside/secret-store';
export { UnstorableTextError } from './unstorable-text-error';
export type { ApiKeyRecord, Member, Principal, Role, Scope } from './users/api-key-record';
export { actingUser } from './users/api-key-record';
export { ApiKeyStore } from './users/api-key-store';
export type { ApiKeyChanges, NewApiKey } from './users/api-key-store';
export type { ConsolePrincipal, ConsoleSessionRecord, IssuerToken } from './users/console-session-record';
export { ConsoleSessionStore } from './users/console-session-store';
export type { BegunCheck } from './users/console-session-store';
export { IdentityStore, identityHash } from './users/identity-store';
export { hashApiKey } from './users/hash-api-key';
export { newApiKey } from './users/new-api-key';
export { bindsFlows, reachesFlow } from './users/key-bounds';
export type { KeyBounds } from './users/key-bounds';
export type { ShareRunLimits } from './runs/backlog/run-limits';
export { AlertStore } from './alerts/alert-store';
export type { AlertChange } from './alerts/alert-changes';
export { listAlerts } from './alerts/list-alerts';
export type { ListedAlert } from './alerts/list-alerts';
export { endUserBudget } from './budgets/budget';
export { BudgetStore } from './budgets/budget-store';
export type { CallToReserve, EndedCall, ReservationOutcome } from './budgets/budget-store';
export type { BudgetRefusal } from './budgets/decide-reservations';
export type { Budget } from './limits/limits';
export type { Spend } from './budgets/spend';
export { LimitStore } from './budgets/limit-store';
export type { LimitedObject } from './budgets/limit-store';
export { isLockTimeout } from './lock-timeout';
export type { Limits, LimitScope } from './limits/limits';
export type { UserRecord } from './users/user-record';
export { UserStore } from './users/user-store';
export type { UserChanges } from './users/user-store';
export type { FlowChanges, FlowRecord, FlowReference, FlowSummary, NewFlow } from './flows/flow-record';
export type { AgentFlow } from './flows/agent-flows';
export type { ToolFlow } from './flows/list-tool-flows';
export { FlowStore } from './flows/flow-store';
export { poolOfFlow } from './flows/pool-of-flow';
export { FlowVersionConflictError } from './flows/flow-version-conflict-error';
export type { FlowVersion } from './flows/flow-versions';
export { pruneBatches } from './runs/pruning/prune-records';
export { flowVersionId } from './flows/flow-version-id';
export type { FlowVersionKey } from './runs/pruning/prune-flow-versions';
export { fileEvent } from './files/file-event';
export { fileName } from './files/file-name';
export type { FileRecord, NewFile } from './files/file-record';
export { moveFiles } from './files/move-files';
export { FileDeletedError, FileStore } from './files/file-store';
export type { BodyMover } from './objects/body-mover';
export { moveBodies } from './objects/move-bodies';
export type { ObjectDeletions } from './objects/object-deletions';
export type { ObjectStore } from './objects/object-store';
export { ObjectStoreUnavailableError } from './objects/object-store';
export { openObjectStore } from './objects/open-object-store';
export { checkEncryptionKey, isFirstKeyInUse } from './encryption/check-encryption-key';
export type { EncryptedPlace } from './encryption/encrypted-values';
export { Encryption, EncryptionError } from './encryption/encryption';
export { countEncryptedValues, reencryptValues } from './encryption/reencrypt-values';
export type { EncryptedCounts, ReencryptedCounts } from './encryption/reencrypt-values';
export type { VariableChanges, VariableRecord } from './variables/variable-record';
export { auditActions, systemActor } from './audit/audit-entry';
export type { AuditAction, AuditActor, AuditDetail, AuditEvent } from './audit/audit-entry';
export { auditEntryView } from './audit/audit-line';
export { AuditLog } from './audit/audit-log';
export type { ActedEvent } from './audit/audit-log';
export type { AuditedChange } from './audit/audited-change';
export type { AuditExportFilter } from './audit/list-entries';
export type { ChainLink } from './audit/audit-entry';
export type { ChainVerdict } from './audit/verify-chain';
export { verifyExportedChain } from './audit/verify-exported-chain';
export { verifyStoredChain } from './audit/verify-stored-chain';
export { ApprovedCode } from './author-code/approved-code';
export { AuthorCodeStore } from './author-code/author-code-store';
export { authorCodeStatuses } from './author-code/author-code-record';
export type { AuthorCodeRecord, AuthorCodeStatus, SubmittedCode } from './author-code/author-code-record';
export { ImportStore } from './imports/import-store';
export type { ImportedMessage } from './imports/imported-records';
export type { ProjectRecord } from './projects/project-record';
export { isMemberName, memberName, MemberStore } from './projects/member-store';
export type { GroupChange, MemberRecord } from './projects/member-store';
export { ProjectStore } from './projects/project-store';
export { McpServerStore } from './mcp-servers/mcp-server-store';
export type { McpServerConfig } from './mcp-servers/mcp-server-store';
export { VariableStore } from './variables/variable-store';
export type { RedeliveredStart } from './runs/attempts/begin-redelivered';
export type { Claim, ClaimedRun, ClaimRequest } from './runs/attempts/claim';
export type { RepeatReason } from './runs/attempts/repeat-reason';
export type { DeadRun } from './runs/attempts/dead-letters';
export { isCountDue } from './runs/backlog/count-backlogs';
export type { WaitingOf } from './runs/backlog/count-waiting';
export type { BacklogCount, LaneState, PoolBacklog } from './runs/backlog/count-backlogs';
export { FailedRunLog } from './runs/attempts/failed-run-log';
export type { FailedRun, LostAttempt } from './runs/attempts/failed-run-log';
export type { RunEndedBySweep } from './runs/backlog/sweep-runs';
export type { BulkAction, BulkBatch, BulkResult } from './runs/changes/bulk-runs';
export type { EndedRun } from './runs/search/find-ended';
export type { ReplayedVersion } from './runs/changes/replay-runs';
export type { RunFilter, RunPage, RunPosition } from './runs/search/run-filter';
export type {
  RunAttempt,
  InteractiveRun,
  RunCompletion,
  RunObservations,
} from './runs/attempts/run-completion';
export type { NewRun, RunOrigin, RunRecord, RunStatus } from './run-record/run-record';
export { RequestSeal } from './encryption/request-seal';
export type { FailedAttempt } from './runs/attempts/retry-runs';
export { readLiveRuns, readRunSummaries } from './runs/search/live-runs';
export { MAXIMUM_LOG_CHARACTERS, readRunLog, runLogText } from './runs/attempts/run-logs';
export type { RunLogLine } from './runs/attempts/run-logs';
export { MAXIMUM_PLACE, readWaitingFacts } from './runs/backlog/waiting-runs';
export type { WaitingFacts } from './runs/backlog/waiting-runs';
export { readRunNames } from './runs/search/run-names';
export type { RunNames } from './runs/search/run-names';
export type { LiveRuns, RunMark } from './runs/search/live-runs';
export { sumUnrecorded } from './runs/unrecorded-runs';
export { readLastRuns, readRunHistory } from './runs/search/run-history';
export type { HistoryGroup, HistoryQuery } from './runs/search/run-history';
export { readRunAttempts } from './runs/attempts/run-attempts';
export type { KeptAttempt } from './runs/attempts/run-attempts';
export { RunStore } from './runs/run-store';
export type { StoredRequest } from './human-requests/stored-request';
export type { RequestPosition } from './runs/suspension/decide-requests';
export { EndedRequests } from './human-requests/ended-requests';
export { questionMessage } from './human-requests/question-message';
export { DECISION_PATH, DecisionLinks } from './human-requests/decision-links';
export type { DecisionLink, RequestLinks } from './human-requests/decision-links';
export type { RunResumption, SuspendedAttempt } from './runs/suspension/suspend-run';
export { openStores } from './open-stores';
export type {
  CallTrace,
  RunTrace,
  StoredTrace,
  TracedMessage,
  TracedRequest,
  TracedValues,
  VertexTrace,
} from './traces/run-trace';
export type { ModelUsage, RunUsage } from './run-record/run-usage';
export { TraceStore } from './traces/trace-store';
export type { TraceFilter } from './traces/trace-store';
export type { ConfirmedMessage, PublishedRun, SweptRun } from './runs/swept-run';
export type { Acceptance } from './runs/accept-runs';
export { UserBacklogs } from './runs/backlog/user-backlogs';
export { listConversations, readConversation } from './runs/search/conversations';
export type { Conversation, MessagePosition } from './runs/search/conversations';
export { addCounts, usageCounts } from './usage/usage-count';
export type { EndedUse, UsageCount } from './usage/usage-count';
export { readUsage, usageDimensions } from './usage/usage-store';
export type { UsageGroup } from './usage/usage-store';
export type { MessageFilter, MessageOrder } from './messages/list-messages';
export { shareLongTexts } from './messages/message-columns';
export type { MessageChanges, MessageRow } from './messages/message-row';
export { ErasureStore } from './erasure/erasure-store';
export { MessageStore } from './messages/message-store';
export type { SessionPage } from './messages/message-store';
export { SessionHistory } from './messages/session-history';
export { EffectStore } from './effects/effect-store';
export type { EffectKey } from './effects/effect-store';
export { KnowledgeBaseStore } from './vectors/knowledge-base-store';
export { KNOWLEDGE_PREFIX } from './vectors/knowledge-base-store';
export type {
  KnowledgeBase,
  KnowledgeChunk,
  KnowledgeRun,
  KnowledgeSettings,
} from './vectors/knowledge-base-store';
export { VectorLimitError, vectorLimits } from './vectors/vector-limits';
export type { VectorRecord } from './vectors/vector-record';
export { VectorStore } from './vectors/vector-store';
export { scheduleFrom } from './triggers/fire-schedules';
export type { FiredSchedules, FiringSchedule } from './triggers/fire-schedules';
export { NODE_REMOVED, nodeTriggersOf, syncNodeTriggers } from './triggers/sync-node-triggers';
export type { EventAcceptance, NewTriggerEvent, TriggerEventRecord } from './triggers/trigger-event-record';
export { callbackStates } from './callbacks/callback-delivery';
export type {
  AttemptOutcome,
  CallbackDelivery,
  DueCallback,
  WaitingReport,
} from './callbacks/callback-delivery';
export { CallbackStore } from './callbacks/callback-store';
export { RetentionStore } from './retention/retention-store';
export type { RetainedKind, RetentionDays } from './retention/retention-store';
export { RefusedDeliveryStore } from './refused-deliveries/refused-delivery-store';
export type { RefusedDelivery } from './refused-deliveries/refused-delivery-store';
export { TriggerEventStore } from './triggers/trigger-event-store';
export { triggerKinds } from './run-record/trigger-kind';
export type { TriggerKind } from './run-record/trigger-kind';
export type { TriggerChanges, TriggerConfig, TriggerRecord } from './triggers/trigger-record';
export { rejectionReasons } from './triggers/queue-source-record';
export type {
  QueueRejectionRecord,
  QueueSourceStatus,
  RejectionReason,
} from './triggers/queue-source-record';
export { QueueSourceStore } from './triggers/queue-source-store';
export type { HeldSource, SourceOwner } from './triggers/queue-source-store';
export { TriggerStore } from './triggers/trigger-store';
export type { SigningSecret } from './triggers/trigger-store';
