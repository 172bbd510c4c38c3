import type { ComponentContext } from '@millrace/flow';
import { ComponentError } from '@millrace/flow';
import { serviceAddress } from '../http/service-address';
import { ApiKey } from './api-key';
import type { Provider } from './providers';
import { completeBaseUrl } from './providers';

/** Where a provider's models are called, and how. */
export interface ModelEndpoint {
  /** Who answers, as people call it. */
  readonly provider: string;
  /** What the paths of calls follow, such as `/chat/completions`. */
  readonly baseUrl: string;
  readonly apiKey: ApiKey;
  /** The header that carries the key, where it is not the usual one. */
  readonly keyHeader: string | null;
  readonly headers: Readonly<Record<string, string>>;
  /** Added to the address of every call. */
  readonly query: Readonly<Record<string, string>>;
  /** How often a call that failed for a passing reason is tried again. */
  readonly maximumRetries: number;
  /** At most this long for one try; the run's own time limits it, too. */
  readonly timeoutMilliseconds: number;
}

export interface EndpointSettings {
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

/** Works out where to call a provider, looking up what the settings leave to stored variables. */
export async function modelEndpoint(
  provider: Provider,
  settings: EndpointSettings,
  context: ComponentContext,
): Promise<ModelEndpoint> {
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
    baseUrl: serviceAddress(completeBaseUrl(provider, baseUrl), provider.name),
    // A server that wants no key still gets a header: the client insists on one.
    apiKey: new ApiKey((await provider.exchangeKey?.(apiKey, context)) ?? (apiKey || 'none')),
    keyHeader: provider.keyHeader ?? null,
    headers: { ...provider.headers, ...settings.headers },
    query: { ...provider.query, ...settings.query },
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
