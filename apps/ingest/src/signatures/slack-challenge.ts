import { IngestAnswer } from '../ingest-answer';

const TYPE = 'url_verification';
const LONGEST_CHALLENGE = 1_024;

/**
 * The challenge by which Slack finds out whether a request URL is its owner's: it must come back. Null for every other
 * event. Only for bodies whose signature has been checked. Throws invalid_value. Source: Slack's `url_verification` event.
 */
export function slackChallenge(payload: string): string | null {
  // Events come by the thousand, this one once: only what can be it is parsed.
  if (!payload.includes(TYPE)) return null;
  const { type, challenge } = members(payload);
  if (type !== TYPE) return null;
  if (typeof challenge === 'string' && challenge !== '' && challenge.length <= LONGEST_CHALLENGE)
    return challenge;
  const rule = `a text of 1 to ${LONGEST_CHALLENGE} characters`;
  throw new IngestAnswer('invalid_value', `The challenge of a ${TYPE} must be ${rule}.`);
}

function members(payload: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(payload);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
