import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { WebhookChallenge } from '@millrace/flow';
import { HttpError } from '@millrace/http';

type Scheme = WebhookChallenge['scheme'];

/** The query parameter that contains the challenge, by scheme. */
const PARAMETERS: Readonly<Record<Scheme, string>> = {
  meta: 'hub.challenge',
  'microsoft-graph': 'validationToken',
  x: 'crc_token',
};
const SCHEMES = ['meta', 'microsoft-graph', 'x'] as const;
const MAXIMUM_CHALLENGE_LENGTH = 1_024;
/**
 * X signs events with the same secret, over the body alone. A token of these characters is no JSON object, so that the
 * signature of a token is never that of an event.
 */
const CRC_TOKEN = /^[\w+/=-]{1,512}$/;

export interface ChallengeAnswer {
  /** For the log. */
  readonly sender: Scheme | 'slack';
  readonly contentType: string;
  readonly body: string;
}

/** Returns the scheme of the challenge in the query of a request; null when it contains none. */
export function challengeScheme(query: URLSearchParams): Scheme | null {
  return SCHEMES.find((scheme) => query.has(PARAMETERS[scheme])) ?? null;
}

/**
 * Returns the answer by which a sender verifies the address of a webhook. The query contains a challenge of the scheme.
 * Throws challenge_refused when the secret does not match or does not exist, and invalid_value for a challenge that no
 * sender sends.
 */
export function answerChallenge(
  scheme: Scheme,
  query: URLSearchParams,
  secrets: readonly string[],
): ChallengeAnswer {
  const challenge = query.get(PARAMETERS[scheme]) ?? '';
  switch (scheme) {
    case 'meta':
      if (query.get('hub.mode') !== 'subscribe')
        throw new HttpError('invalid_value', 'hub.mode must be "subscribe".');
      // All are compared, so that the time does not show which one matches.
      if (secrets.filter((secret) => isSame(secret, query.get('hub.verify_token') ?? '')).length === 0)
        throw refused();
      return repeated(scheme, challenge);
    case 'microsoft-graph':
      return repeated(scheme, challenge);
    case 'x':
      return signed(challenge, secrets);
  }
}

/** Sends the answer, which repeats text of the request, such that no browser runs it. */
export function sendChallengeAnswer(
  response: ServerResponse,
  { contentType, body }: Omit<ChallengeAnswer, 'sender'>,
): void {
  response.writeHead(200, {
    'content-type': contentType,
    'content-length': Buffer.byteLength(body),
    'x-content-type-options': 'nosniff',
    'content-security-policy': "sandbox; default-src 'none'",
  });
  response.end(body);
}

function repeated(scheme: Scheme, challenge: string): ChallengeAnswer {
  if (challenge !== '' && challenge.length <= MAXIMUM_CHALLENGE_LENGTH)
    return { sender: scheme, contentType: 'text/plain', body: challenge };
  const rule = `1 to ${MAXIMUM_CHALLENGE_LENGTH} characters`;
  throw new HttpError('invalid_value', `${PARAMETERS[scheme]} must have ${rule}.`);
}

function signed(token: string, [secret]: readonly string[]): ChallengeAnswer {
  const rule = '1 to 512 letters, digits and characters of "_-+/="';
  if (!CRC_TOKEN.test(token)) throw new HttpError('invalid_value', `crc_token must have ${rule}.`);
  if (secret === undefined) throw refused();
  const digest = createHmac('sha256', secret).update(token).digest('base64');
  const body = JSON.stringify({ response_token: `sha256=${digest}` });
  return { sender: 'x', contentType: 'application/json', body };
}

function isSame(secret: string, given: string): boolean {
  return timingSafeEqual(hashOf(secret), hashOf(given));
}

function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function refused(): HttpError {
  return new HttpError('challenge_refused', 'The address of the webhook cannot be verified');
}
