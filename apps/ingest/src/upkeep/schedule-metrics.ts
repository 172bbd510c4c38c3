import type { FiredSchedules } from '@millrace/runs';
import type { Metrics } from '@millrace/service';

/** Seconds; an occurrence is on time within the first second. */
const DELAYS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 3_600];

/** Creates the metrics of schedules; returns what counts a round. */
export function measureFiring(metrics: Metrics): (round: FiredSchedules) => void {
  const fired = metrics.counter('millrace_schedules_fired_total', 'Occurrences of schedules that fired');
  const skipped = metrics.counter(
    'millrace_schedule_occurrences_skipped_total',
    'Occurrences of schedules that did not fire by themselves, by reason',
    { labels: { reason: ['missed', 'overlap'] } },
  );
  const delay = metrics.histogram(
    'millrace_schedule_delay_seconds',
    'Time from an occurrence of a schedule, before its jitter, to the storage of its run',
    { unit: 's', boundaries: DELAYS },
  );
  return (round) => {
    fired.add(round.fired);
    skipped.add(round.missed, { reason: 'missed' });
    skipped.add(round.overlapped, { reason: 'overlap' });
    for (const milliseconds of round.delaysMilliseconds) delay.record(milliseconds / 1_000);
  };
}
