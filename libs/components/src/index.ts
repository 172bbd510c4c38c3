export { componentRegistry } from './component-registry';
export { fillWebhookFields } from './input-output/shared/fill-webhook-fields';
export type { WebhookAddress } from './input-output/shared/fill-webhook-fields';

// Models and memories, for values that other languages provide or use.
<<<<<<< HEAD
export { embedTexts } from './embeddings/shared/embed-texts';
export type { Vector } from './embeddings/shared/embed-texts';
export { embeddingsHandle } from './embeddings/shared/embedding-settings';
export { ApiKey } from './integrations/models/api-key';
export type { ChatMessage } from './integrations/models/chat-message';
=======
export { ApiKey } from './language-models/api-key';
export { completeChat, streamChat } from './language-models/chat-completion';
export type { ChatMessage } from './language-models/chat-message';
export { chatModelHandle, chatModelOf } from './language-models/chat-model';
>>>>>>> 8c1ddda (test(python): objects of Python in native components have a suite of their own)
export type {
  ChatAnswer,
  ChatModel,
  ChatOptions,
  ChatProtocol,
  ChatRequest,
<<<<<<< HEAD
} from './integrations/models/chat-protocol';
export { completeChat, streamChat } from './language-models/shared/chat-completion';
export { chatModelHandle, chatModelOf } from './language-models/shared/chat-model';
export { ChatMemory, connectedMemory, memoryHandle } from './memory/shared/chat-memory';
=======
} from './language-models/chat-protocol';
export { embedTexts } from './embeddings/embed-texts';
export type { Vector } from './embeddings/embed-texts';
export { embeddingsHandle } from './embeddings/embedding-settings';
export { ChatMemory, connectedMemory, memoryHandle } from './memory/chat-memory';
>>>>>>> 8c1ddda (test(python): objects of Python in native components have a suite of their own)
