import type { IncomingMessage } from 'node:http';
import { HttpError } from '@millrace/http';
import type { FlowReference } from '@millrace/runs';
import { DatabaseStallGuard } from '../../durable-intake';
import type { WebhookSecrets } from '../signatures/webhook-secrets';
import type { WebhookAuthenticator } from '../webhook-authenticator';
import { answerChallenge, challengeScheme } from './answer-challenge';
import type { ChallengeAnswer } from './answer-challenge';

export interface WebhookChallengesDependencies {
  readonly authenticator: WebhookAuthenticator;
  readonly secrets: WebhookSecrets;
}

/** The challenges by which senders verify the address of a flow's webhook. */
export class WebhookChallenges {
  readonly #dependencies: WebhookChallengesDependencies;
  readonly #stallGuard = new DatabaseStallGuard();

  constructor(dependencies: WebhookChallengesDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Resolves to the flow that a GET verifies. Throws method_not_allowed unless the flow has the setting for the challenge
   * in the query, so that the answer does not show which flows exist.
   */
  async flowOf(request: IncomingMessage, reference: string, query: URLSearchParams): Promise<FlowReference> {
    const { authenticator } = this.#dependencies;
    const scheme = challengeScheme(query);
    if (scheme === null) throw methodNotAllowed();
    const flow = await this.#stallGuard.withinDeadline(() => authenticator.addressedFlow(reference));
    if (flow?.settings.webhook?.challenge?.scheme !== scheme) throw methodNotAllowed();
    if (scheme !== 'microsoft-graph') return flow;
    // This scheme has no secret. Its events need a key, so its verification needs the key too.
    return this.#stallGuard.withinDeadline(() => authenticator.authenticate(request, reference, query));
  }

  /** Resolves to the answer to the challenge in the query; null unless the flow has the setting for it. */
  async answerTo(
    { userId, settings }: FlowReference,
    query: URLSearchParams,
  ): Promise<ChallengeAnswer | null> {
    const rule = settings.webhook?.challenge;
    if (rule === undefined || challengeScheme(query) !== rule.scheme) return null;
    const secrets = await this.#dependencies.secrets.findInTime(userId, rule.secrets ?? [], (ask) =>
      this.#stallGuard.withinDeadline(ask),
    );
    return answerChallenge(rule.scheme, query, secrets);
  }
}

/** Returns the error for a request that is neither a webhook nor the verification of its address. */
export function methodNotAllowed(): HttpError {
  return new HttpError('method_not_allowed', 'Method Not Allowed', { headers: { allow: 'POST' } });
}
