import type { Dialect } from './chat-parameters';

/** Somebody who speaks OpenAI's protocol. */
export interface Provider {
  readonly name: string;
  readonly dialect: Dialect;
  readonly baseUrl: string;
  /** The variable that holds another address; a field of the component beats it. */
  readonly baseUrlVariable: string | null;
  /** The variable that holds the key when no field does; null when none is needed. */
  readonly apiKeyVariable: string | null;
  /** What an address that an author gave lacks before `/chat/completions`. */
  readonly path: string;
}

export const openAi: Provider = {
  name: 'OpenAI',
  dialect: 'openai',
  baseUrl: 'https://api.openai.com/v1',
  baseUrlVariable: 'OPENAI_BASE_URL',
  apiKeyVariable: 'OPENAI_API_KEY',
  path: '',
};

export const groq: Provider = {
  name: 'Groq',
  dialect: 'compatible',
  baseUrl: 'https://api.groq.com/openai/v1',
  baseUrlVariable: 'GROQ_API_BASE',
  apiKeyVariable: 'GROQ_API_KEY',
  path: '/openai/v1',
};

export const ollama: Provider = {
  name: 'Ollama',
  dialect: 'compatible',
  baseUrl: 'http://localhost:11434/v1',
  baseUrlVariable: 'OLLAMA_BASE_URL',
  apiKeyVariable: null,
  path: '/v1',
};

export const mistral: Provider = {
  name: 'Mistral',
  dialect: 'compatible',
  baseUrl: 'https://api.mistral.ai/v1',
  baseUrlVariable: null,
  apiKeyVariable: 'MISTRAL_API_KEY',
  path: '/v1',
};

export const openRouter: Provider = {
  name: 'OpenRouter',
  dialect: 'compatible',
  baseUrl: 'https://openrouter.ai/api/v1',
  baseUrlVariable: null,
  apiKeyVariable: 'OPENROUTER_API_KEY',
  path: '',
};

export const lmStudio: Provider = {
  name: 'LM Studio',
  dialect: 'compatible',
  baseUrl: 'http://localhost:1234/v1',
  baseUrlVariable: null,
  apiKeyVariable: null,
  path: '/v1',
};

export const deepSeek: Provider = {
  name: 'DeepSeek',
  dialect: 'compatible',
  baseUrl: 'https://api.deepseek.com',
  baseUrlVariable: null,
  apiKeyVariable: 'DEEPSEEK_API_KEY',
  path: '',
};

const providers: readonly Provider[] = [openAi, groq, ollama, mistral, openRouter, lmStudio, deepSeek];

/** Names of the providers a component can name. */
export const providerNames: readonly string[] = providers.map(({ name }) => name);

/** The provider of this name, undefined for one that does not speak the protocol. */
export function findProvider(name: string): Provider | undefined {
  return providers.find((provider) => provider.name.toLowerCase() === name.toLowerCase());
}

/** The address to call: what was given, completed by the provider's path, else the provider's own. */
export function completeBaseUrl(provider: Provider, given: string): string {
  const address = given.trim().replace(/\/+$/, '');
  if (address === '') return provider.baseUrl;
  return address.endsWith(provider.path) ? address : address + provider.path;
}
