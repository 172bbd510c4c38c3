export { componentRegistry } from './component-registry';
export { fillWebhookFields } from './input-output/fill-webhook-fields';

export { findFile } from './files/readers/named-file';

// Models and memories, for values that other languages provide or use.
export { embedTexts } from './embeddings/calls/embed-texts';
export { embeddingsHandle } from './embeddings/calls/embedding-settings';
export { ApiKey } from './integrations/models/api-key';
export type { ChatMessage } from './integrations/models/chat-message';
export type {
  ChatAnswer,
  ChatModel,
  ChatOptions,
  ChatProtocol,
  ChatRequest,
  ToolDefinition,
} from './integrations/models/chat-protocol';
export type { Vector } from './integrations/models/embedding-protocol';
export { completeChat, streamChat } from './language-models/calls/chat-completion';
export { chatModelHandle, chatModelOf } from './language-models/choice/chat-model';
export { ChatMemory, connectedMemory, memoryHandle } from './memory/messages/chat-memory';

// For the simulation of runs that wait for a person.
export { approveCalls } from './agents/steps/approve-calls';
