import { createHash } from 'node:crypto';

/** Returns the id of a version, a UUID that is the same whenever it is computed. Triggers are pinned by it. */
export function flowVersionId(flowId: string, version: number): string {
  const hex = createHash('sha256').update(`flow version ${flowId} ${version}`).digest('hex');
  // Version 8 of RFC 9562: an id of the application's own making.
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `a${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}
