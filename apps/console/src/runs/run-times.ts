import type { Run } from '../api/answers';
import { between, duration, elapsed } from '../ui/format';

type Timed = Pick<Run, 'status' | 'accepted_at' | 'started_at' | 'finished_at'>;

/** How long a run waited for its first attempt, or waits so far; undefined when that is not known. */
export function waitedText(run: Timed, now: number): string | undefined {
  if (run.status === 'running' && !run.started_at) return undefined;
  return spanText(run.accepted_at, run.started_at ?? run.finished_at, now);
}

/** How long a run took, or takes so far; undefined for one that did not begin. */
export function tookText(run: Timed, now: number): string | undefined {
  // An interactive run whose caller waits has no record yet, and no time of its start.
  const from = run.started_at ?? (run.status === 'running' ? run.accepted_at : undefined);
  return from === undefined ? undefined : spanText(from, run.finished_at, now);
}

/** The time between two times; of something that goes on, so far. */
export function spanText(from: string, to: string | null | undefined, now: number): string {
  const time = between(from, to);
  return time === undefined ? elapsed(now - Date.parse(from)) : duration(time);
}
