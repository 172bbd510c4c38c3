import { HttpError } from '@millrace/http';

const TYPE = 'url_verification';
const MAXIMUM_CHALLENGE_LENGTH = 1_024;

/**
 * Returns the challenge of Slack's `url_verification` event, which the response must repeat to verify a request URL;
 * null for every other event. Only for bodies whose signature has been verified. Throws invalid_value.
 */
export function slackChallenge(payload: string): string | null {
  // This event is rare, so parse only the bodies that can be one.
  if (!payload.includes(TYPE)) return null;
  const { type, challenge } = parseMembers(payload);
  if (type !== TYPE) return null;
  if (typeof challenge === 'string' && challenge !== '' && challenge.length <= MAXIMUM_CHALLENGE_LENGTH)
    return challenge;
  const rule = `a string of 1 to ${MAXIMUM_CHALLENGE_LENGTH} characters`;
  throw new HttpError('invalid_value', `The challenge of a ${TYPE} must be ${rule}.`);
}

function parseMembers(payload: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(payload);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
