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
export type { RequestSchema } from './http/request-schema';
export { simpleRunBodySchema, simpleRunFields } from './http/simple-run-body';
export type { SimpleRunBody } from './http/simple-run-body';
export { advancedRunBodySchema, advancedRunMembers } from './http/advanced-run-body';
export type { AdvancedRunBody, RunInputBody } from './http/advanced-run-body';
export {
  acceptedCodeBodySchema,
  flowChangesSchema,
  flowListSchema,
  idListSchema,
  newFlowSchema,
} from './http/flow-body';
export type { FlowBody, FlowData } from './http/flow-body';
export { langflowTracePageSchema, langflowTraceSchema, runTraceSchema } from './http/run-trace-answer';
export { CALLBACK_URL, callbackKinds, MAXIMUM_WAIT_SECONDS } from './http/flow-settings';
export { GATEWAY_HEADER } from './http/gateway-header';
export { refusedDeliveriesSchema } from './http/refused-deliveries-answer';
export { runAttemptsSchema } from './http/run-attempts-answer';
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
export { apiKeyBodySchema, keyRotationBodySchema } from './http/api-key-body';
export type { ApiKeyBody, KeyRotationBody } from './http/api-key-body';
export { brokerUrlProblem, QueueSourceError, readQueueSource, textAt } from './http/queue-source';
export type { QueueSourceRules } from './http/queue-source';
export { mcpServerBodySchema } from './http/mcp-server-body';
export type { McpServerBody } from './http/mcp-server-body';
export { variableBodySchema, variableChangesSchema, variableDigestsSchema } from './http/variable-body';
export type { VariableBody, VariableChangesBody, VariableDigestsBody } from './http/variable-body';
export { authorCodeDecisionBodySchema } from './http/author-code-body';
export type { AuthorCodeDecisionBody } from './http/author-code-body';
export { userBodySchema } from './http/user-body';
export type { UserBody } from './http/user-body';
export {
  fileDeletedSchema,
  flowFileListSchema,
  flowFileSchema,
  userFileListSchema,
  userFileSchema,
} from './http/file-answer';
export { messageChangesSchema } from './http/message-changes-body';
export type { MessageChangesBody } from './http/message-changes-body';
export { workflowBodySchema, workflowStopBodySchema } from './http/workflow-body';
export type { WorkflowBody, WorkflowStopBody } from './http/workflow-body';
export { responseBodySchema } from './http/response-body';
export type { ResponseBody } from './http/response-body';
export { workflowStatusSchema, workflowStoppedSchema } from './http/workflow-answer';
export { openResponseSchema } from './http/response-answer';
export type { AnswerSchema } from './http/answer-schema';
export { faultsSchema, refusalSchema } from './http/error-answer';
export { runAnswerSchema, runEventSchema, startedRunSchema } from './http/run-answer';
export {
  checkedFlowsSchema,
  exportedFlowSchema,
  storedFlowSchema,
  flowReportSchema,
  flowsAnswerSchema,
  flowSchema,
} from './http/flow-answer';
export {
  activatedVersionSchema,
  flowVersionDiffSchema,
  flowVersionListSchema,
  flowVersionSchema,
} from './http/flow-version-answer';
export { editedMessageSchema, listedMessageSchema } from './http/message-answer';
export { transactionPageSchema, vertexBuildsSchema } from './http/monitor-answer';
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
} from './http/run-record-answer';
export { flowStatisticsSchema, runHistorySchema } from './http/run-history-answer';
export { bulkRunsBodySchema } from './http/bulk-runs-body';
export type { BulkRunsBody, RunFilterBody } from './http/bulk-runs-body';
export { replayBodySchema } from './http/replay-body';
export type { ReplayBody } from './http/replay-body';
export { consoleSessionListSchema, consoleSessionSchema } from './http/console-answer';
export { consoleSessionBodySchema } from './http/console-body';
export type { ConsoleSessionBody } from './http/console-body';
export { systemHealthSchema, systemSettingsSchema, workersSchema } from './http/system-answer';
export { apiKeyListSchema, createdApiKeySchema, rotatedApiKeySchema } from './http/api-key-answer';
export { mcpServerSchema, mcpServersSchema } from './http/mcp-server-answer';
export { erasureBodySchema, erasureSchema } from './http/erasure-body';
export type { ErasureBody } from './http/erasure-body';
export { equalVariablesSchema, variableSchema } from './http/variable-answer';
export { auditEntrySchema, auditPageSchema } from './http/audit-answer';
export { authorCodeListSchema, authorCodeSchema, authorCodeTextSchema } from './http/author-code-answer';
export { createdUserSchema, userListSchema, userSchema } from './http/user-answer';
export {
  aliveSchema,
  healthySchema,
  homeSchema,
  publicConfigSchema,
  readinessSchema,
  unhealthySchema,
  versionSchema,
} from './http/service-answer';
export { autoscaleSchema } from './http/autoscale-answer';
export { confirmationSchema, flowDeletedSchema, flowsDeletedSchema } from './http/confirmation-answer';
export { asyncApiDocument } from './asyncapi/asyncapi-document';
export { controlSchemas, jobSchema, replySchemas } from './asyncapi/message-schemas';
export {
  schedulePreviewSchema,
  triggerBodySchema,
  triggerChangesSchema,
  triggerPinSchema,
  triggerReplaySchema,
  triggerTestSchema,
} from './http/trigger-body';
export type { TriggerBody, TriggerChangesBody } from './http/trigger-body';
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
} from './http/trigger-answer';
export { callbackReplayBodySchema } from './http/callback-body';
export type { CallbackReplayBody } from './http/callback-body';
export {
  callbackListSchema,
  callbackLogSchema,
  callbackReplaySchema,
  callbackReportSchema,
} from './http/callback-answer';
export { chatBodySchema } from './http/chat-body';
export type { ChatBody, ChatMessageBody } from './http/chat-body';
export { chatAnswerSchema, modelListSchema, modelSchema, openAiRefusalSchema } from './http/chat-answer';
export { jsonRpcRefusalSchema } from './http/error-answer';
