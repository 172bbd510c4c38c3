import type { ComponentContext } from '@millrace/flow';
import type { ChatProtocol } from '../models/chat-protocol';
import { anthropicExceptions, openAiExceptions } from '../models/client-exceptions';
import type { ClientExceptions } from '../models/client-exceptions';
import { anthropicChat } from '../anthropic/anthropic-chat';
import { googleChat } from '../google/google-chat';
import { compatibleChat, openAiChat } from '../openai/openai-chat';
import { watsonxChat } from '../watsonx/watsonx-chat';
import { watsonxScope, watsonxToken } from '../watsonx/watsonx-access';

/** A provider of models. */
export interface Provider {
  readonly name: string;
  /** Other names in flow files. */
  readonly aliases?: readonly string[];
  readonly protocol: ChatProtocol;
  /** Set where Langflow's class for the provider raises them. */
  readonly exceptions?: ClientExceptions;
  readonly baseUrl: string;
  /** The variable with another address; a field of the component overrides it. */
  readonly baseUrlVariable: string | null;
  /** The variable with the key when no field contains it; null when no key is needed. */
  readonly apiKeyVariable: string | null;
  /** The path between an author's address and `/chat/completions`. */
  readonly path: string;
  /** The header with the key, when it is not the usual one. */
  readonly keyHeader?: string;
  /** Additional headers that the provider requires. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Added to the query of every call. */
  readonly query?: Readonly<Record<string, string>>;
  /** Fields with the address in nodes that support any provider, newest name first. */
  readonly baseUrlFields?: readonly string[];
  /** Exchanges the given key for an access token. */
  readonly exchangeKey?: (apiKey: string, context: ComponentContext) => Promise<string>;
  /** Returns body members that name the account of a call. */
  readonly scope?: (context: ComponentContext) => Promise<Readonly<Record<string, string>>>;
}

const defaultBaseUrlFields = ['openai_api_base', 'base_url', 'groq_api_base', 'custom_base_url'];

export const openAi: Provider = {
  name: 'OpenAI',
  protocol: openAiChat,
  exceptions: openAiExceptions,
  baseUrl: 'https://api.openai.com/v1',
  baseUrlVariable: 'OPENAI_BASE_URL',
  apiKeyVariable: 'OPENAI_API_KEY',
  path: '',
};

export const groq = compatible({
  name: 'Groq',
  baseUrl: 'https://api.groq.com/openai/v1',
  baseUrlVariable: 'GROQ_API_BASE',
  apiKeyVariable: 'GROQ_API_KEY',
  path: '/openai/v1',
});

export const ollama = compatible({
  name: 'Ollama',
  baseUrl: 'http://localhost:11434/v1',
  baseUrlVariable: 'OLLAMA_BASE_URL',
  baseUrlFields: ['ollama_base_url', ...defaultBaseUrlFields],
  path: '/v1',
});

export const mistral = compatible({
  name: 'Mistral',
  baseUrl: 'https://api.mistral.ai/v1',
  apiKeyVariable: 'MISTRAL_API_KEY',
  path: '/v1',
});

export const openRouter = compatible({
  name: 'OpenRouter',
  exceptions: openAiExceptions,
  baseUrl: 'https://openrouter.ai/api/v1',
  apiKeyVariable: 'OPENROUTER_API_KEY',
});

export const lmStudio = compatible({
  name: 'LM Studio',
  exceptions: openAiExceptions,
  baseUrl: 'http://localhost:1234/v1',
  path: '/v1',
});

export const deepSeek = compatible({
  name: 'DeepSeek',
  exceptions: openAiExceptions,
  baseUrl: 'https://api.deepseek.com',
  apiKeyVariable: 'DEEPSEEK_API_KEY',
});

export const xAi = compatible({
  name: 'xAI',
  exceptions: openAiExceptions,
  baseUrl: 'https://api.x.ai/v1',
  apiKeyVariable: 'XAI_API_KEY',
});

export const nvidia = compatible({
  name: 'NVIDIA',
  baseUrl: 'https://integrate.api.nvidia.com/v1',
  apiKeyVariable: 'NVIDIA_API_KEY',
});

export const vLlm = compatible({
  name: 'vLLM',
  exceptions: openAiExceptions,
  baseUrl: 'http://localhost:8000/v1',
  path: '/v1',
});

export const liteLlm = compatible({
  name: 'LiteLLM',
  exceptions: openAiExceptions,
  baseUrl: 'http://localhost:4000',
});

export const sambaNova = compatible({
  name: 'SambaNova',
  baseUrl: 'https://api.sambanova.ai/v1',
  apiKeyVariable: 'SAMBANOVA_API_KEY',
});

export const perplexity = compatible({
  name: 'Perplexity',
  baseUrl: 'https://api.perplexity.ai',
  apiKeyVariable: 'PERPLEXITY_API_KEY',
});

export const aiml = compatible({
  name: 'AI/ML API',
  exceptions: openAiExceptions,
  baseUrl: 'https://api.aimlapi.com/v2',
  apiKeyVariable: 'AIML_API_KEY',
});

export const novita = compatible({
  name: 'Novita AI',
  exceptions: openAiExceptions,
  baseUrl: 'https://api.novita.ai/v3/openai',
  apiKeyVariable: 'NOVITA_API_KEY',
});

export const cohere = compatible({
  name: 'Cohere',
  baseUrl: 'https://api.cohere.ai/compatibility/v1',
  apiKeyVariable: 'COHERE_API_KEY',
});

/** Every author has their own address: see `azureAddress`. */
export const azureOpenAi = compatible({
  name: 'Azure OpenAI',
  exceptions: openAiExceptions,
  baseUrl: '',
  apiKeyVariable: 'AZURE_OPENAI_API_KEY',
  keyHeader: 'api-key',
});

export const anthropic: Provider = {
  name: 'Anthropic',
  protocol: anthropicChat,
  exceptions: anthropicExceptions,
  baseUrl: 'https://api.anthropic.com/v1',
  baseUrlVariable: 'ANTHROPIC_BASE_URL',
  apiKeyVariable: 'ANTHROPIC_API_KEY',
  path: '/v1',
  keyHeader: 'x-api-key',
  headers: { 'anthropic-version': '2023-06-01' },
  baseUrlFields: ['anthropic_api_base', 'base_url'],
};

export const google: Provider = {
  name: 'Google Generative AI',
  aliases: ['Google', 'Gemini', 'GoogleGenerativeAI'],
  protocol: googleChat,
  baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
  baseUrlVariable: 'GOOGLE_GEMINI_BASE_URL',
  apiKeyVariable: 'GOOGLE_API_KEY',
  path: '/v1beta',
  keyHeader: 'x-goog-api-key',
  baseUrlFields: [],
};

export const watsonx: Provider = {
  name: 'IBM WatsonX',
  aliases: ['IBM watsonx.ai', 'watsonx', 'IBM'],
  protocol: watsonxChat,
  baseUrl: 'https://us-south.ml.cloud.ibm.com/ml/v1',
  baseUrlVariable: 'WATSONX_URL',
  apiKeyVariable: 'WATSONX_APIKEY',
  path: '/ml/v1',
  query: { version: '2024-10-08' },
  baseUrlFields: ['base_url_ibm_watsonx', 'base_url', 'url'],
  exchangeKey: watsonxToken,
  scope: watsonxScope,
};

export const huggingFace = compatible({
  name: 'Hugging Face',
  aliases: ['HuggingFace'],
  baseUrl: 'https://router.huggingface.co/v1',
  apiKeyVariable: 'HUGGINGFACEHUB_API_TOKEN',
  path: '/v1',
});

const providers: readonly Provider[] = [
  openAi,
  groq,
  ollama,
  mistral,
  openRouter,
  lmStudio,
  deepSeek,
  xAi,
  nvidia,
  vLlm,
  liteLlm,
  sambaNova,
  perplexity,
  aiml,
  novita,
  cohere,
  azureOpenAi,
  anthropic,
  google,
  watsonx,
  huggingFace,
];

/** Names of the providers that a component can select. */
export const providerNames: readonly string[] = providers.map(({ name }) => name);

/** Returns the provider of this name; undefined for an unsupported one. */
export function findProvider(name: string): Provider | undefined {
  const lowerCaseName = name.toLowerCase();
  return providers.find((provider) =>
    [provider.name, ...(provider.aliases ?? [])].some((known) => known.toLowerCase() === lowerCaseName),
  );
}

/** Returns the fields with the address of this provider, in a node that supports any provider. */
export function baseUrlFieldsOf(provider: Provider): readonly string[] {
  return provider.baseUrlFields ?? defaultBaseUrlFields;
}

/** Returns the address to call: the given one, completed by the provider's path, else the provider's own. */
export function completeBaseUrl(provider: Provider, given: string): string {
  // Some nodes contain the whole address of a call.
  const address = given
    .trim()
    .replace(/(?<!\/)\/+$/, '')
    .replace(/\/chat\/completions$/, '');
  if (address === '') return provider.baseUrl;
  return address.endsWith(provider.path) ? address : address + provider.path;
}

/** Defines a provider that uses OpenAI's protocol unchanged, with defaults for everything that is not named. */
function compatible(provider: Partial<Provider> & Pick<Provider, 'name' | 'baseUrl'>): Provider {
  return { protocol: compatibleChat, baseUrlVariable: null, apiKeyVariable: null, path: '', ...provider };
}
