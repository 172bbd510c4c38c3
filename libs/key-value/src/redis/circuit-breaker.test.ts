import { CircuitBreaker } from './circuit-breaker';

describe('the circuit breaker', () => {
  let breaker: CircuitBreaker;

  beforeEach(() => {
    breaker = new CircuitBreaker({ maximumFailures: 3, pauseMilliseconds: 1_000 });
  });

  test('admits all calls until three consecutive failures', () => {
    expect([breaker.failed(0), breaker.failed(0)]).toEqual([false, false]);
    expect(breaker.admits(0)).toBe(true);
    expect(breaker.failed(10)).toBe(true);
    expect(breaker.admits(10)).toBe(false);
    expect(breaker.admits(1_009)).toBe(false);
  });

  test('resets the failures with each success', () => {
    breaker.failed(0);
    breaker.failed(0);
    expect(breaker.succeeded()).toBe(false);
    breaker.failed(0);
    expect(breaker.admits(0)).toBe(true);
  });

  test('admits one probe after the pause, and all calls when it succeeds', () => {
    for (let round = 0; round < 3; round += 1) breaker.failed(0);
    expect(breaker.admits(1_000)).toBe(true);
    expect(breaker.admits(1_001)).toBe(false);
    expect(breaker.succeeded()).toBe(true);
    expect(breaker.admits(1_002)).toBe(true);
  });

  test('pauses again when the probe fails', () => {
    for (let round = 0; round < 3; round += 1) breaker.failed(0);
    expect(breaker.admits(1_000)).toBe(true);
    expect(breaker.failed(1_100)).toBe(false);
    expect(breaker.admits(2_099)).toBe(false);
    expect(breaker.admits(2_100)).toBe(true);
  });
});
