import type { IncomingMessage, ServerResponse } from 'node:http';
import type {
  CallerAddresses,
  FlowCache,
  KeyUsage,
  PrincipalCache,
  RequestLimits,
  SentBytes,
} from '@millrace/access';
import { HttpError } from '@millrace/http';
import { hashApiKey, reachesFlow } from '@millrace/runs';
import type { FlowReference, Principal } from '@millrace/runs';

export interface WebhookAuthenticatorDependencies {
  readonly principals: PrincipalCache;
  readonly usage: KeyUsage;
  readonly flows: FlowCache;
  readonly limits: RequestLimits;
  readonly addresses: CallerAddresses;
  readonly webhookAuthentication: 'required' | 'off';
}

/** Who sends a webhook to which flow. */
export interface WebhookSender {
  /** Null where no key is needed. */
  readonly principal: Principal | null;
  readonly flow: FlowReference;
}

/**
 * Resolves the caller and the flow of a webhook request. With a key (the header takes precedence over the query) the
 * caller is the key's owner, who must own the flow; without authentication, or with a signature instead, it is the
 * flow's owner. The setting of the flow takes precedence over that of the service. Texts and order of checks are
 * Langflow's.
 */
export class WebhookAuthenticator {
  readonly #dependencies: WebhookAuthenticatorDependencies;

  constructor(dependencies: WebhookAuthenticatorDependencies) {
    this.#dependencies = dependencies;
  }

  /** Resolves the flow of a request that proves itself otherwise; null when the reference is of no flow or of several. */
  async addressedFlow(reference: string): Promise<FlowReference | null> {
    return this.#dependencies.flows.find(null, reference);
  }

  /** Whether senders of the flow need no API key, because it is not checked or their signature replaces it. */
  isOpen(flow: FlowReference): boolean {
    const { webhookAuth = this.#dependencies.webhookAuthentication, webhook } = flow.settings;
    return webhookAuth === 'off' || webhook?.signature !== undefined;
  }

  async authenticate(
    request: IncomingMessage,
    reference: string,
    query: URLSearchParams,
  ): Promise<FlowReference> {
    return (await this.sender(request, reference, query)).flow;
  }

  /** As `authenticate`; resolves to the caller, too. */
  async sender(
    request: IncomingMessage,
    reference: string,
    query: URLSearchParams,
    response?: ServerResponse,
  ): Promise<WebhookSender> {
    const { principals, usage, flows, limits, addresses, webhookAuthentication } = this.#dependencies;
    const answered = response && { response };
    const notFound = () => new HttpError('flow_unknown', `Flow identifier ${reference} not found`);
    const header = request.headers['x-api-key'];
    const key = (typeof header === 'string' && header) || query.get('x-api-key');
    // Run both queries in parallel: with a distant database they make up most of the response time.
    const [flowLookup, principalLookup] = await Promise.allSettled([
      flows.find(null, reference),
      key ? principals.find(hashApiKey(key)) : null,
    ]);
    const uniqueFlow = settledValue(flowLookup);
    // The signature of a request is verified once the body has arrived.
    if (uniqueFlow ? this.isOpen(uniqueFlow) : webhookAuthentication === 'off') {
      if (!uniqueFlow) throw notFound();
      await limits.count({ principal: null, flow: uniqueFlow, ...answered });
      return { principal: null, flow: uniqueFlow };
    }
    if (!key) throw new HttpError('key_missing', 'API key required when webhook authentication is enabled');
    const principal = settledValue(principalLookup);
    if (!principal?.scopes.includes('run')) throw new HttpError('key_invalid', 'Invalid API key');
    const { bounds } = principal;
    if (bounds !== null && !addresses.areAllowed(bounds, request))
      throw new HttpError('permission_denied', 'This API key cannot be used from this address.');
    if (bounds?.access === 'read_only')
      throw new HttpError('permission_denied', 'This API key is read-only.');
    if (bounds?.endUsers !== undefined)
      throw new HttpError('permission_denied', 'This API key acts for end users, and a webhook has none.');
    const found =
      uniqueFlow?.userId === principal.userId ? uniqueFlow : await flows.find(principal.userId, reference);
    const flow = found !== null && reachesFlow(bounds, found) ? found : null;
    await limits.count({ principal, flow, ...answered });
    usage.count(principal.keyHash);
    if (flow === null) throw notFound();
    return { principal, flow };
  }

  /** Counts what the sender of a webhook sends; rejects with rate_limited. */
  countBytes(sender: WebhookSender, bytes: SentBytes): Promise<void> | undefined {
    return this.#dependencies.limits.countBytes({ ...sender, bytes });
  }
}

function settledValue<T>(outcome: PromiseSettledResult<T>): T {
  if (outcome.status === 'rejected') throw outcome.reason;
  return outcome.value;
}
