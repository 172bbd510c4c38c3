import { useTimeText } from '../api/clock';

export interface RunTimeProps<Timed> {
  readonly of: Timed;
  readonly text: (timed: Timed, now: number) => string | undefined;
  /** Shown when there is no time. */
  readonly absent?: string;
}

/** A time of a run or of an attempt, which counts while it goes on. */
export function RunTime<Timed>({ of, text, absent = '–' }: RunTimeProps<Timed>) {
  return useTimeText((now) => text(of, now) ?? absent);
}
