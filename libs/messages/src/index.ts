export { JOB_VERSION, READABLE_JOB_VERSIONS } from './jobs/job-version';
export type { CachePolicy, Job, Lane, SealedRequest } from './jobs/job';
export {
  AFTER_ALL_FRAMES,
  ATTEMPT_HEADER,
  CACHE_HEADER,
  REPLY_BATCH,
  SEQUENCE_HEADER,
  STATUS_HEADER,
  TIMING_HEADER,
} from './jobs/reply';
export type { CacheUse, ReplyType, RunEnd, RunFailure } from './jobs/reply';
export { JOB_BATCH, readJobBatch, REDELIVERED_HEADER, writeJobBatch } from './jobs/job-batch';
export { readReplyBatch, writeReplyBatch } from './jobs/reply-batch';
export type { BatchedReply } from './jobs/reply-batch';
export { FLOW_HEADER } from './jobs/flow-event';
export type { FlowEvent } from './jobs/flow-event';
export { readControlMessage } from './jobs/control';
export type { ControlMessage } from './jobs/control';
export { brokerNames } from './jobs/topology';
export type { BrokerNames } from './jobs/topology';
export type { DeadLetter } from './jobs/dead-letter';
export {
  DEAD_KEY,
  controlTopology,
  flowEventsTopology,
  replyTopology,
  runEventsTopology,
  runsTopology,
  standbyTopology,
} from './jobs/runs-topology';
export type { RequestSchema } from './http/bodies/request-schema';
export { simpleRunBodySchema, simpleRunFields } from './http/bodies/simple-run-body';
export type { SimpleRunBody } from './http/bodies/simple-run-body';
export { advancedRunBodySchema, advancedRunMembers } from './http/bodies/advanced-run-body';
export type { AdvancedRunBody, RunInputBody } from './http/bodies/advanced-run-body';
export {
  acceptedCodeBodySchema,
  changedSettingsSchema,
  flowChangesSchema,
  flowListSchema,
  idListSchema,
  newFlowSchema,
} from './http/bodies/flow-body';
export type { FlowBody } from './http/bodies/flow-body';
export {
  langflowTracePageSchema,
  langflowTraceSchema,
  runTraceSchema,
} from './http/answers/run-trace-answer';
export {
  CALLBACK_URL,
  callbackKinds,
  flowSettingsSchema,
  MAXIMUM_WAIT_SECONDS,
  MAXIMUM_WAITING_SENDERS,
} from './http/flow-settings';
export { mergePatch } from './http/merge-patch';
export { GATEWAY_HEADER } from './http/gateway-header';
export { refusedDeliveriesSchema } from './http/answers/refused-deliveries-answer';
export { runAttemptsSchema } from './http/answers/run-attempts-answer';
export type {
  AmqpTarget,
  Callback,
  CallbackKind,
  FlowSettings,
  RecordSettings,
  RetryRule,
  WebhookChallenge,
  WebhookSignature,
} from './http/flow-settings';
export { apiKeyBodySchema, keyRotationBodySchema } from './http/bodies/api-key-body';
export type { ApiKeyBody, KeyRotationBody } from './http/bodies/api-key-body';
export { variablesOfSettings } from './http/variable-references';
export type { VariableReference } from './http/variable-references';
export { brokerUrlProblem, QueueSourceError, readQueueSource, textAt } from './http/queue-source';
export type { QueueSourceRules } from './http/queue-source';
export { mcpServerBodySchema } from './http/bodies/mcp-server-body';
export type { McpServerBody } from './http/bodies/mcp-server-body';
export {
  variableBodySchema,
  variableChangesSchema,
  variableDigestsSchema,
} from './http/bodies/variable-body';
export type { VariableBody, VariableChangesBody, VariableDigestsBody } from './http/bodies/variable-body';
export { authorCodeDecisionBodySchema } from './http/bodies/author-code-body';
export type { AuthorCodeDecisionBody } from './http/bodies/author-code-body';
export { userBodySchema } from './http/bodies/user-body';
export type { UserBody } from './http/bodies/user-body';
export {
  fileDeletedSchema,
  flowFileListSchema,
  flowFileSchema,
  userFileListSchema,
  userFileSchema,
} from './http/answers/file-answer';
export { messageChangesSchema } from './http/bodies/message-changes-body';
export type { MessageChangesBody } from './http/bodies/message-changes-body';
export { workflowBodySchema, workflowStopBodySchema } from './http/bodies/workflow-body';
export type { WorkflowBody, WorkflowStopBody } from './http/bodies/workflow-body';
export { responseBodySchema } from './http/bodies/response-body';
export type { ResponseBody } from './http/bodies/response-body';
export { workflowStatusSchema, workflowStoppedSchema } from './http/answers/workflow-answer';
export { openResponseSchema } from './http/answers/response-answer';
export type { AnswerSchema } from './http/answers/answer-schema';
export { faultsSchema, refusalSchema } from './http/answers/error-answer';
export { runAnswerSchema, runEventSchema, startedRunSchema } from './http/answers/run-answer';
export {
  checkedFlowsSchema,
  exportedFlowSchema,
  storedFlowSchema,
  flowReportSchema,
  flowsAnswerSchema,
  flowSchema,
} from './http/answers/flow-answer';
export {
  activatedVersionSchema,
  flowVersionDiffSchema,
  flowVersionListSchema,
  flowVersionSchema,
} from './http/answers/flow-version-answer';
export { editedMessageSchema, listedMessageSchema } from './http/answers/message-answer';
export { transactionPageSchema, vertexBuildsSchema } from './http/answers/monitor-answer';
export {
  bulkRunsSchema,
  cancelledRunSchema,
  deletedRunsSchema,
  replaysSchema,
  runEventsSchema,
  runListSchema,
  runRecordSchema,
  runRequestViewSchema,
  runStatuses,
} from './http/answers/run-record-answer';
export { flowStatisticsSchema, runHistorySchema } from './http/answers/run-history-answer';
export { bulkRunsBodySchema } from './http/bodies/bulk-runs-body';
export type { BulkRunsBody, RunFilterBody } from './http/bodies/bulk-runs-body';
export { replayBodySchema } from './http/bodies/replay-body';
export { changedReplayBodySchema } from './http/bodies/changed-replay-body';
export type { ChangedReplayBody } from './http/bodies/changed-replay-body';
export type { ReplayBody } from './http/bodies/replay-body';
export { consoleSessionListSchema, consoleSessionSchema } from './http/answers/console-answer';
export { consoleSessionBodySchema } from './http/bodies/console-body';
export type { ConsoleSessionBody } from './http/bodies/console-body';
export { systemHealthSchema, systemSettingsSchema, workersSchema } from './http/answers/system-answer';
export { apiKeyListSchema, createdApiKeySchema, rotatedApiKeySchema } from './http/answers/api-key-answer';
export { mcpServerSchema, mcpServersSchema } from './http/answers/mcp-server-answer';
export { erasureBodySchema, erasureSchema } from './http/bodies/erasure-body';
export type { ErasureBody } from './http/bodies/erasure-body';
export { equalVariablesSchema, variableSchema } from './http/answers/variable-answer';
export { auditEntrySchema, auditPageSchema } from './http/answers/audit-answer';
export {
  authorCodeListSchema,
  authorCodeSchema,
  authorCodeTextSchema,
} from './http/answers/author-code-answer';
export { createdUserSchema, userListSchema, userSchema } from './http/answers/user-answer';
export {
  aliveSchema,
  healthySchema,
  homeSchema,
  publicConfigSchema,
  readinessSchema,
  unhealthySchema,
  versionSchema,
} from './http/answers/service-answer';
export { autoscaleSchema } from './http/answers/autoscale-answer';
export {
  confirmationSchema,
  flowDeletedSchema,
  flowsDeletedSchema,
} from './http/answers/confirmation-answer';
export { asyncApiDocument } from './asyncapi/asyncapi-document';
export { controlSchemas, jobSchema, replySchemas } from './asyncapi/message-schemas';
export {
  schedulePreviewSchema,
  triggerBodySchema,
  triggerChangesSchema,
  triggerPinSchema,
  triggerReplaySchema,
  triggerTestSchema,
} from './http/bodies/trigger-body';
export type { TriggerBody, TriggerChangesBody } from './http/bodies/trigger-body';
export {
  scheduleListSchema,
  schedulePreviewAnswerSchema,
  scheduleSchema,
  signingSecretSchema,
  queueRejectionListSchema,
  triggerEventListSchema,
  triggerEventSchema,
  triggerIngressSchema,
  triggerListSchema,
  triggerSchema,
} from './http/answers/trigger-answer';
export { callbackReplayBodySchema } from './http/bodies/callback-body';
export type { CallbackReplayBody } from './http/bodies/callback-body';
export {
  callbackListSchema,
  callbackLogSchema,
  callbackReplaySchema,
  callbackReportSchema,
} from './http/answers/callback-answer';
export { chatBodySchema } from './http/bodies/chat-body';
export type { ChatBody, ChatMessageBody } from './http/bodies/chat-body';
export {
  chatAnswerSchema,
  modelListSchema,
  modelSchema,
  openAiRefusalSchema,
} from './http/answers/chat-answer';
export { jsonRpcRefusalSchema } from './http/answers/error-answer';
