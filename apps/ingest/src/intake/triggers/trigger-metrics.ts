import type { FiredSchedules } from '@millrace/runs';
import type { Counter, Metrics } from '@millrace/service';

/** Seconds; an occurrence is on time within the first second. */
const DELAYS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 3_600];

export interface TriggerCounters {
  readonly accepted: Counter;
  readonly onFired: (fired: FiredSchedules) => void;
}

/** Creates the metrics of triggers and schedules. */
export function triggerCounters(metrics: Metrics): TriggerCounters {
  const accepted = metrics.counter(
    'millrace_trigger_deliveries_accepted_total',
    'Deliveries to inbound webhooks of triggers that were answered with 202',
  );
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
  return {
    accepted,
    onFired: (round) => {
      fired.add(round.fired);
      skipped.add(round.missed, { reason: 'missed' });
      skipped.add(round.overlapped, { reason: 'overlap' });
      for (const milliseconds of round.delaysMilliseconds) delay.record(milliseconds / 1_000);
    },
  };
}
