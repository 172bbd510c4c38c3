import type { ComponentContext } from '@millrace/flow';
import type { ChatProtocol } from './chat-protocol';
import { anthropicChat } from './protocols/anthropic-chat';
import { googleChat } from './protocols/google-chat';
import { compatibleChat, openAiChat } from './protocols/open-ai-chat';
import { watsonxChat } from './protocols/watsonx-chat';
import { watsonxScope, watsonxToken } from './watsonx-access';

/** Somebody whose models can be asked. */
export interface Provider {
  readonly name: string;
  /** What flow files have called it besides. */
  readonly aliases?: readonly string[];
  readonly protocol: ChatProtocol;
  readonly baseUrl: string;
  /** The variable that holds another address; a field of the component beats it. */
  readonly baseUrlVariable: string | null;
  /** The variable that holds the key when no field does; null when none is needed. */
  readonly apiKeyVariable: string | null;
  /** What an address that an author gave lacks before `/chat/completions`. */
  readonly path: string;
  /** The header that carries the key, where it is not the usual one. */
  readonly keyHeader?: string;
  /** Headers that the provider wants besides. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Added to the address of every call. */
  readonly query?: Readonly<Record<string, string>>;
  /** Fields in which nodes that can have any provider hold the address, newest name first. */
  readonly baseUrlFields?: readonly string[];
  /** Gets what opens a door for the key that was given. */
  readonly exchangeKey?: (apiKey: string, context: ComponentContext) => Promise<string>;
  /** Members of every body that say on whose account a call goes. */
  readonly scope?: (context: ComponentContext) => Promise<Readonly<Record<string, string>>>;
}

const usualBaseUrlFields = ['openai_api_base', 'base_url', 'groq_api_base', 'custom_base_url'];

export const openAi: Provider = {
  name: 'OpenAI',
  protocol: openAiChat,
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
  baseUrlFields: ['ollama_base_url', ...usualBaseUrlFields],
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
  baseUrl: 'https://openrouter.ai/api/v1',
  apiKeyVariable: 'OPENROUTER_API_KEY',
});

export const lmStudio = compatible({
  name: 'LM Studio',
  baseUrl: 'http://localhost:1234/v1',
  path: '/v1',
});

export const deepSeek = compatible({
  name: 'DeepSeek',
  baseUrl: 'https://api.deepseek.com',
  apiKeyVariable: 'DEEPSEEK_API_KEY',
});

export const xAi = compatible({
  name: 'xAI',
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
  baseUrl: 'http://localhost:8000/v1',
  path: '/v1',
});

export const liteLlm = compatible({
  name: 'LiteLLM',
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
  baseUrl: 'https://api.aimlapi.com/v2',
  apiKeyVariable: 'AIML_API_KEY',
});

export const novita = compatible({
  name: 'Novita AI',
  baseUrl: 'https://api.novita.ai/v3/openai',
  apiKeyVariable: 'NOVITA_API_KEY',
});

export const cohere = compatible({
  name: 'Cohere',
  baseUrl: 'https://api.cohere.ai/compatibility/v1',
  apiKeyVariable: 'COHERE_API_KEY',
});

/** Its address is the author's own: see `azureAddress`. */
export const azureOpenAi = compatible({
  name: 'Azure OpenAI',
  baseUrl: '',
  apiKeyVariable: 'AZURE_OPENAI_API_KEY',
  keyHeader: 'api-key',
});

export const anthropic: Provider = {
  name: 'Anthropic',
  protocol: anthropicChat,
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

/** Names of the providers a component can name. */
export const providerNames: readonly string[] = providers.map(({ name }) => name);

/** The provider of this name, undefined for one that cannot be asked. */
export function findProvider(name: string): Provider | undefined {
  const wanted = name.toLowerCase();
  return providers.find((provider) =>
    [provider.name, ...(provider.aliases ?? [])].some((known) => known.toLowerCase() === wanted),
  );
}

/** The fields in which a node that can have any provider holds the address of this one. */
export function baseUrlFieldsOf(provider: Provider): readonly string[] {
  return provider.baseUrlFields ?? usualBaseUrlFields;
}

/** The address to call: what was given, completed by the provider's path, else the provider's own. */
export function completeBaseUrl(provider: Provider, given: string): string {
  // Some nodes hold the whole address of a call.
  const address = given
    .trim()
    .replace(/\/+$/, '')
    .replace(/\/chat\/completions$/, '');
  if (address === '') return provider.baseUrl;
  return address.endsWith(provider.path) ? address : address + provider.path;
}

/** A provider that speaks OpenAI's protocol as it was, and needs nothing that is not named. */
function compatible(provider: Partial<Provider> & Pick<Provider, 'name' | 'baseUrl'>): Provider {
  return { protocol: compatibleChat, baseUrlVariable: null, apiKeyVariable: null, path: '', ...provider };
}
