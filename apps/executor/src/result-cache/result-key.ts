import { createHash } from 'node:crypto';
import type { CachePolicy } from '@millrace/contracts';
import type { RunRequest } from '@millrace/flow';

/** What a run is asked, and of what. */
export interface AskedRun {
  readonly userId: string;
  readonly flowId: string;
  readonly flowVersion: number;
  readonly request: RunRequest;
}

/**
 * Stands for all that is known of a run before it begins and can change its answer: two runs with the same key were
 * asked the same. The whole request counts, so that a member that is added to it counts, too; the order of tweaks
 * does, because it decides which one wins. SHA-256, in hex digits.
 */
export function resultKey(
  { userId, flowId, flowVersion, request }: AskedRun,
  { byAuthor }: CachePolicy,
  version: string,
): string {
  const asked = { ...request, globalVariables: byName(request.globalVariables) };
  return digestOf([version, userId, flowId, flowVersion, byAuthor, byName(asked)]);
}

/** SHA-256 of the value as JSON, in hex digits. */
export function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}

function byName(members: object): readonly (readonly [string, unknown])[] {
  return Object.entries(members).sort(([one], [other]) => (one < other ? -1 : 1));
}
