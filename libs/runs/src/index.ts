export { DuplicateError } from './duplicate-error';
export { GroupCommit } from './group-commit';
export type { GroupCommitOptions } from './group-commit';
export { GroupCommitClosedError, GroupCommitFullError } from './group-commit-errors';
export { isRowError } from './is-row-error';
export { UnstorableTextError } from './unstorable-text-error';
export type { ApiKeyRecord, Principal, Scope } from './users/api-key-record';
export { ApiKeyStore } from './users/api-key-store';
export type { NewApiKey } from './users/api-key-store';
export { hashApiKey } from './users/hash-api-key';
export type { UserRecord } from './users/user-record';
export { UserStore } from './users/user-store';
export type {
  FlowChanges,
  FlowRecord,
  FlowReference,
  FlowSummary,
  NewFlow,
} from './flows/flow-record';
export { FlowStore } from './flows/flow-store';
export { fileName } from './files/file-name';
export type { FileRecord, NewFile } from './files/file-record';
export { FileGoneError, FileStore } from './files/file-store';
export { parseUuid } from './flows/parse-uuid';
export { Encryption, EncryptionError } from './variables/encryption';
export type { NewVariable, VariableChanges, VariableRecord } from './variables/variable-record';
export { McpServerStore } from './mcp-servers/mcp-server-store';
export type { McpServerConfig } from './mcp-servers/mcp-server-store';
export { VariableStore } from './variables/variable-store';
export type { Redelivered } from './runs/begin-redelivered';
export type { Claim, ClaimedRun, ClaimRequest } from './runs/claim';
export type { RunFilter } from './runs/find-runs';
export type { Heartbeat } from './runs/hold-runs';
export type { EndingOptions, HeldRun, InteractiveRun, RunCompletion } from './runs/run-completion';
export type { NewRun, RunOrigin, RunRecord, RunStatus } from './runs/run-record';
export { RunStore } from './runs/run-store';
export type { RunStoreDependencies } from './runs/run-store';
export type { SweptRun } from './runs/swept-run';
export type { MessageFilter, MessageOrder } from './messages/list-messages';
export type { MessageChanges, MessageRow } from './messages/message-row';
export { MessageStore } from './messages/message-store';
export type { SessionPlace } from './messages/message-store';
export { SessionHistory } from './messages/session-history';
export type { RecentFilter, SessionHistoryDependencies } from './messages/session-history';
export { VectorBoundError } from './vectors/vector-bounds';
export type { VectorRecord, VectorRecordMatch, VectorRecordSearch } from './vectors/vector-record';
export { VectorStore } from './vectors/vector-store';
