/**
 * Loaded before a service (`--import`). Shifts the clock of the process, which Date and `performance.timeOrigin` return.
 * Timers and the monotonic clock do not change, as on a machine whose clock is wrong.
 */
const shift = Number(process.env.CHAOS_CLOCK_SHIFT_MILLISECONDS ?? 0);

if (shift !== 0) {
  const RealDate = Date;
  const { timeOrigin } = performance;
  const shiftedNow = () => RealDate.now() + shift;
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, given, newTarget) =>
      Reflect.construct(target, given.length === 0 ? [shiftedNow()] : given, newTarget),
    apply: () => new RealDate(shiftedNow()).toString(),
    get: (target, name, receiver) => (name === 'now' ? shiftedNow : Reflect.get(target, name, receiver)),
  });
  Object.defineProperty(performance, 'timeOrigin', { value: timeOrigin + shift, configurable: true });
}
