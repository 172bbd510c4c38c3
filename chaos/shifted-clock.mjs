/**
 * Loaded before a service (`--import`). Shifts the clock of the process, which Date and `performance.timeOrigin` return.
 * Timers and the monotonic clock do not change, as on a machine whose clock is wrong.
 */
const shift = Number(process.env.CHAOS_CLOCK_SHIFT_MILLISECONDS ?? 0);

if (shift !== 0) {
  const RealDate = Date;
  const { timeOrigin } = performance;
  class ShiftedDate extends RealDate {
    constructor(...given) {
      super(...(given.length === 0 ? [RealDate.now() + shift] : given));
    }

    static now() {
      return RealDate.now() + shift;
    }
  }
  globalThis.Date = ShiftedDate;
  Object.defineProperty(performance, 'timeOrigin', { value: timeOrigin + shift, configurable: true });
}
