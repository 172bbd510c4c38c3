import { createHash } from 'node:crypto';
import type { CachePolicy } from '@millrace/messages';
import type { RunRequest } from '@millrace/flow';

/** The flow version, user and request of a run. */
export interface CacheKeyInput {
  readonly userId: string;
  readonly flowId: string;
  readonly flowVersion: number;
  readonly request: RunRequest;
  /** Names of the user's variables that fill empty fields, by the display names of the fields. */
  readonly fieldVariables: ReadonlyMap<string, string>;
}

/**
 * Returns the digest of everything that is known before the run starts and can change its answer; runs with the same
 * key have the same request. The whole request but its key is included, so that later additions to it are, too. The order of tweaks
 * is included, because it determines which one applies. SHA-256, in hex digits.
 */
export function resultKey(
  { userId, flowId, flowVersion, request, fieldVariables }: CacheKeyInput,
  { byAuthor }: CachePolicy,
  version: string,
): string {
  const asked = { ...request, keyId: undefined, globalVariables: byName(request.globalVariables) };
  return digestOf([
    version,
    userId,
    flowId,
    flowVersion,
    byAuthor,
    byName(asked),
    [...fieldVariables].sort(),
  ]);
}

/** Returns the SHA-256 of the value as JSON, in hex digits. */
export function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}

function byName(members: object): readonly (readonly [string, unknown])[] {
  return Object.entries(members).sort(([one], [other]) => (one < other ? -1 : 1));
}
