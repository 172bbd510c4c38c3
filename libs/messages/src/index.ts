export { JOB_VERSION, READABLE_JOB_VERSIONS } from './jobs/job-version';
export type { CachePolicy, Job, Lane, SealedRequest } from './jobs/job';
export {
  AFTER_ALL_FRAMES,
  ATTEMPT_HEADER,
  CACHE_HEADER,
  REPLY_BATCH,
  SEQUENCE_HEADER,
  STATUS_HEADER,
  RECORD_HEADER,
  TEXTS_HEADER,
  TIMING_HEADER,
  SUSPENDED,
} from './jobs/reply';
export type { CacheUse, ReplyType, RunEnd, RunFailure } from './jobs/reply';
export { JOB_BATCH, readJobBatch, REDELIVERED_HEADER, writeJobBatch } from './jobs/job-batch';
export { readReplyBatch, writeReplyBatch } from './jobs/reply-batch';
export type { BatchedReply } from './jobs/reply-batch';
export {
  readDeduplicatedText,
  DeduplicatedText,
  LongTexts,
  writeDeduplicatedText,
} from './jobs/deduplicated-text';
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
export { asyncApiDocument } from './asyncapi/asyncapi-document';
export { callbackReportSchema } from './asyncapi/callback-report-schema';
export {
  anyObject,
  closedObject,
  namedObject,
  flag,
  integer,
  listOf,
  named,
  orNull,
  text,
  uuid,
} from './asyncapi/json-schema';
export type { JsonSchema } from './asyncapi/json-schema';
export { controlSchemas, jobSchema, replySchemas } from './asyncapi/message-schemas';
export { runAnswerSchema } from './asyncapi/run-answer-schema';
export { runEventSchema } from './asyncapi/run-event-schema';
