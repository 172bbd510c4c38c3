import { createHash } from 'node:crypto';

/** Returns the delay of an occurrence in milliseconds. It is always the same for one occurrence of one schedule. */
export function jitterOf(scheduleId: string, occurrence: number, jitterSeconds: number): number {
  if (jitterSeconds === 0) return 0;
  const digest = createHash('sha256').update(`${scheduleId} ${occurrence}`).digest();
  return Math.floor((digest.readUInt32BE(0) / 2 ** 32) * jitterSeconds * 1_000);
}
