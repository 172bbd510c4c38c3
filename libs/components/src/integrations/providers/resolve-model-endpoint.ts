import type { ComponentContext } from '@millrace/flow';
import { ComponentError } from '@millrace/flow';
import { serviceAddress } from '../http/service-address';
import { ApiKey } from '../models/api-key';
import type { Provider } from './providers';
import { completeBaseUrl } from './providers';
import type { ModelEndpoint } from '../models/model-endpoint';

export interface EndpointSettings {
  /** Empty: the variable of the provider; without that variable no key. */
  readonly apiKey: string;
  /** Empty: the variable of the provider; without that variable the provider's own address. */
  readonly baseUrl: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly maximumRetries?: number | null;
  readonly timeoutSeconds?: number | null;
}

const defaultTimeoutSeconds = 700;

const retryLimit = 5;

/** Resolves the endpoint of a provider; reads settings that are empty from stored variables. */
export async function modelEndpoint(
  provider: Provider,
  settings: EndpointSettings,
  context: ComponentContext,
): Promise<ModelEndpoint> {
  const given = settings.baseUrl || (await variable(provider.baseUrlVariable, context));
  // A gateway can require a query such as `?api-version=1`, which belongs behind the path of each call.
  const [address = '', search = ''] = (given.split('#', 1)[0] ?? '').split(/\?(.*)/s);
  const apiKey = settings.apiKey || (await variable(provider.apiKeyVariable, context));
  if (apiKey === '' && provider.apiKeyVariable !== null) {
    throw new ComponentError(
      `${provider.name} API key is required when using ${provider.name} provider. ` +
        `Please provide it as a component parameter, or configure it globally as ${provider.apiKeyVariable}.`,
    );
  }
  return {
    provider: provider.name,
    baseUrl: serviceAddress(completeBaseUrl(provider, address), provider.name),
    // The client requires a key, so servers without keys get a header as well.
    apiKey: new ApiKey((await provider.exchangeKey?.(apiKey, context)) ?? (apiKey || 'none')),
    keyHeader: provider.keyHeader ?? null,
    headers: { ...provider.headers, ...settings.headers },
    query: { ...provider.query, ...Object.fromEntries(new URLSearchParams(search)), ...settings.query },
    maximumRetries: Math.min(Math.max(settings.maximumRetries ?? 2, 0), retryLimit),
    timeoutMilliseconds: positive(settings.timeoutSeconds, defaultTimeoutSeconds) * 1000,
    ...(provider.exceptions && { exceptions: provider.exceptions }),
  };
}

async function variable(name: string | null, context: ComponentContext): Promise<string> {
  return name === null ? '' : ((await context.variable(name)) ?? '');
}

function positive(value: number | null | undefined, fallback: number): number {
  return value !== null && value !== undefined && value > 0 ? value : fallback;
}
