export { ComponentError, InvalidFlowError, MillraceError, RunError, typeErrorOf } from './errors';
export type { ShownException } from './errors';
export {
  isEmbeddingsHandle,
  isModelHandle,
  isPartHandle,
  isRetrieverHandle,
  isToolHandle,
} from './values/handle';
export type {
  EmbeddingsHandle,
  ModelHandle,
  PartHandle,
  RetrieverHandle,
  ToolApproval,
  ToolHandle,
} from './values/handle';
export { defineComponent } from './component/component';
export type {
  Component,
  ComponentOutputs,
  ComponentRegistry,
  Output,
  SavedFields,
} from './component/component';
export { argumentsDigest } from './component/arguments-digest';
export { componentTools, toolOutput } from './component/component-tools';
export { observeStep, observeStream } from './component/observation';
export type { ModelSpending, PricedCall, SpendReservation } from './component/model-spending';
export type {
  ObservedDocuments,
  ObservedMessage,
  ObservedModelAnswer,
  ObservedModelCall,
  ObservedRetrieval,
  ObservedStep,
  ObservedToolCall,
  VertexObservation,
} from './component/observation';
export { namedTools, savedTools } from './component/saved-tools';
export { toolResult } from './component/tool-result';
export type {
  ComponentContext,
  ConnectedVertex,
  MessageQuery,
  PythonVertices,
  RunResources,
} from './component/component-context';
export type {
  LocalVectors,
  VectorDocument,
  VectorMatch,
  VectorSearch,
} from './component/resources/local-vectors';
export type { McpServers } from './component/resources/mcp-servers';
export type { RunFile, RunFiles } from './component/resources/run-files';
export type { Permission } from './component/resources/run-resources';
export type { ScriptCall, Scripts } from './component/resources/scripts';
export type {
  SubFlow,
  SubFlowInput,
  SubFlowOutput,
  SubFlowRequest,
  SubFlows,
} from './component/resources/sub-flows';
export type { Input, InputValues } from './component/input';
export type { CalledFlow, Plan, PlanEdge, PlanVertex } from './plan/plan';
export { askingTraits, canAsk } from './plan/can-ask';
export type { PlanField } from './document/plan-field';
export type { FlowProblem } from './document/flow-problem';
export { knownMembers } from './document/known-members';
export type { ExportPlace } from './document/known-members';
export type { OutputSelection, RunInput, RunRequest, Tweaks } from './run/run-request';
export type { ResultData, RunResponse, TokenUsage } from './run/run-response';
export type { RunEvent } from './run/run-event';
export {
  CANNOT_WAIT_FOR_HUMAN,
  cannotWait,
  NO_CHOICE,
  FALLBACK_DECISION,
  RunSuspension,
  shownRequest,
} from './run/human-request';
export type {
  HumanDecision,
  HumanOption,
  HumanRequest,
  ShownRequest,
  ToolCallRequest,
} from './run/human-request';
export { RunMoment } from './run/run-moment';
export { argumentFault } from './run/argument-fault';
export { toolCallId, toolCallSuffix, withinToolCall } from './run/tool-call-scope';

// Flow documents, plans and the overrides of a request.
export { editedCodeMember, parseFlowDocument } from './document/parse-flow-document';
export { acceptedCodeMember, codeHash } from './document/read-code';
export type { EditedCodeRule } from './document/flow-document';
export { noPython } from './python/python-policy';
export type { PythonEnvironment, PythonPolicy } from './python/python-policy';
export { pythonComponent } from './plan/python-component';
export { executesCode } from './python/code-classes';
export { approvalRemedy, notApproved } from './plan/python-problem';
export type { PythonSource } from './python/python-source';
export type { VertexCall, VertexLogLine, VertexOutcome } from './python/vertex-call';
export { reachedVertices } from './plan/reached-vertices';
export { compile } from './plan/compile';
export { withCodePolicy } from './plan/with-code-policy';
export { publishedHashes } from './code/known-code';
export type { CodeHashes } from './code/known-code';
export { convertSetting, hasVariableCells, namesVariable } from './plan/compile-settings';
export type { LoopBody, PlanSetting, RunScope } from './plan/plan';
export { reachableFrom } from './plan/reachable-from';
export { flowReport } from './report/flow-report';
export type { FlowReport } from './report/flow-report';
export { refusalError, refusals } from './tweaks/refusals';
export { resolveField } from './plan/resolve-field';
export { repeatedVertices } from './plan/repeated-part';
export { stoppedBranch } from './plan/stopped-branch';
export { findInputTweakConflict } from './tweaks/input-tweak-conflict';
export { protectedFields, refusedTweaks } from './tweaks/refused-tweaks';
export type { ProtectedFields } from './tweaks/refused-tweaks';
export { runOverrides } from './tweaks/run-overrides';
export { refuseFileTweaks, refuseTweakFaults } from './tweaks/tweak-fault';
export type { RunOverrides, VertexOverrides } from './tweaks/vertex-overrides';

// Kinds of inputs that a component can declare.
export { boolean } from './component/inputs/boolean';
export { code } from './component/inputs/code';
export { data } from './component/inputs/data';
export { dataFrame } from './component/inputs/data-frame';
export { dictionary, dictOf } from './component/inputs/dictionary';
export { dropdown } from './component/inputs/dropdown';
export { file } from './component/inputs/file';
export { float } from './component/inputs/float';
export { handle } from './component/inputs/handle';
export { integer } from './component/inputs/integer';
export { listOf } from './component/inputs/list-of';
export { mapped } from './component/inputs/mapped';
export { message } from './component/inputs/message';
export { model } from './component/inputs/model';
export type { ModelChoice } from './component/inputs/model';
export { nestedDictionary } from './component/inputs/nested-dictionary';
export { prompt } from './component/inputs/prompt';
export { classText } from './component/inputs/class-text';
export { isDict } from './component/inputs/python-dict';
export { sortableList } from './component/inputs/sortable-list';
export { secret } from './component/inputs/secret';
export { tab } from './component/inputs/tab';
export { table } from './component/inputs/table';
export { jsonText } from './component/inputs/json-text';
export { text } from './component/inputs/text';

// Values and their text representations in Python.
export { chatOutputResponse } from './values/chat-output-response';
export { toData, toDataFrame, toMessage } from './values/convert';
export { dataToText, dataToTexts } from './values/data-to-text';
export { elapsedText } from './values/elapsed-text';
export { isJsonWithin } from './values/json-size';
export { jsonValue } from './values/json-value';
export { messageArtifacts } from './values/message-artifacts';
export { messageToEventData, messageToResult } from './values/message-result';
export { safeConvert } from './values/safe-convert';
export type { SafeConvertOptions } from './values/safe-convert';
export type { LangflowRelease } from './values/langflow-release';

// Python.
export { missingPackage } from './python/package-of-module';
export { firstMessageOf, firstShownTextOf, firstTextOf } from './run/first-message';
export { FLOW_ANSWER_OUTPUT, flowAnswerOf, refusedAnswer, RESPOND_TYPE } from './run/flow-answer';
export type { FlowAnswer } from './run/flow-answer';
export {
  CALLBACK_URL_PATTERN,
  callbackEnds,
  callbackKinds,
  alertMeasures,
  callbackType,
  runCallbackKinds,
  flowSettingsSchema,
  recordSettingsOf,
  MAXIMUM_WAIT_SECONDS,
} from './settings/flow-settings';
export type {
  AlertRule,
  AmqpTarget,
  Callback,
  CallbackKind,
  FlowSettings,
  RecordSettings,
  RunRecords,
  RetryRule,
  WebhookChallenge,
  WebhookSignature,
} from './settings/flow-settings';
