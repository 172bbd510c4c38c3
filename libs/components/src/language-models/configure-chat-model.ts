import { ComponentError } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import { ApiKey } from './api-key';
import type { ChatModel } from './chat-model';
import type { ChatParameters } from './chat-parameters';
import { chatParameters } from './chat-parameters';
import type { Provider } from './providers';
import { completeBaseUrl } from './providers';

export interface ChatSettings extends ChatParameters {
  readonly model: string;
  /** Empty: the variable of the provider, and without one no key. */
  readonly apiKey: string;
  /** Empty: the variable of the provider, and without one the provider's own address. */
  readonly baseUrl: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly maximumRetries?: number | null;
  readonly timeoutSeconds?: number | null;
}

const defaultTimeoutSeconds = 700;
const mostRetries = 5;

/** Makes a model of a component's settings, looking up what they leave to stored variables. */
export async function configureChatModel(
  provider: Provider,
  settings: ChatSettings,
  context: ComponentContext,
): Promise<ChatModel> {
  if (settings.model === '') throw new ComponentError('A model selection is required');
  const baseUrl = settings.baseUrl || (await variable(provider.baseUrlVariable, context));
  const apiKey = settings.apiKey || (await variable(provider.apiKeyVariable, context));
  if (apiKey === '' && provider.apiKeyVariable !== null) {
    throw new ComponentError(
      `${provider.name} API key is required when using ${provider.name} provider. ` +
        `Please provide it as a component parameter, or configure it globally as ${provider.apiKeyVariable}.`,
    );
  }
  return {
    provider: provider.name,
    baseUrl: completeBaseUrl(provider, baseUrl),
    // A server that wants no key still gets a header: the client insists on one.
    apiKey: new ApiKey(apiKey || 'none'),
    keyHeader: provider.keyHeader ?? null,
    model: settings.model,
    parameters: chatParameters(settings.model, settings, provider.dialect),
    headers: settings.headers ?? {},
    query: settings.query ?? {},
    maximumRetries: Math.min(Math.max(settings.maximumRetries ?? 2, 0), mostRetries),
    timeoutMilliseconds: positive(settings.timeoutSeconds, defaultTimeoutSeconds) * 1000,
  };
}

async function variable(name: string | null, context: ComponentContext): Promise<string> {
  return name === null ? '' : ((await context.variable(name)) ?? '');
}

function positive(value: number | null | undefined, fallback: number): number {
  return value !== null && value !== undefined && value > 0 ? value : fallback;
}
