/**
 * Loaded before a service (`--import`), moves the clock of its process by so many milliseconds: what Date and
 * `performance.timeOrigin` show. Timers and the monotonic clock keep their pace, as on a machine whose clock is wrong.
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
