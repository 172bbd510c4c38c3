/**
 * Milliseconds since the epoch by the clock of this machine, which can differ from those of others and can be set back.
 * For waits, deadlines and ages that this process alone measures, and for times that are only shown. A time that
 * another process compares comes from the SharedClock.
 */
export function machineTime(): number {
  return Date.now();
}
