import type { Job } from '@millrace/messages';
import { machineTime } from '@millrace/service';
import type { SharedClock } from '@millrace/service';

/**
 * Returns the time that the run of a job has left; 0 or less when its deadline has passed, Infinity when it has none.
 * Never more than the time that was left when the job was sent.
 *
 * Sender and executor compare their clocks with the database's. If one of them could not, or the sender is of a version
 * that does not, the deadline is compared with this machine's clock. The broker drops a job whose deadline passes in
 * its queue, so a deadline that seems to have passed shows that the clocks differ; then the run gets the time that was
 * left when its job was sent.
 */
export function remainingMilliseconds(
  { deadline, acceptedAt, databaseDeadline }: Job,
  clock: SharedClock,
): number {
  if (deadline === null) return Number.POSITIVE_INFINITY;
  const initialMilliseconds = deadline - acceptedAt;
  if (databaseDeadline !== undefined && clock.isShared) {
    // Timers take whole milliseconds.
    return Math.min(initialMilliseconds, Math.floor(databaseDeadline - clock.now()));
  }
  const left = deadline - machineTime();
  return left > 0 && left <= initialMilliseconds ? left : initialMilliseconds;
}
