import { closedLoop } from './closed-loop.mjs';
import { openLoop } from './open-loop.mjs';

/** Of the throughput of the slowest side: a rate at which none of them queues for long. */
const ARRIVAL_SHARE = 0.5;

/**
 * The sides of a scenario that are asked by HTTP: `targets` by name, each { url, headers, body, expected, settle }.
 * Throughput is that of a closed loop, latency that of an open one; the arrival rate is the same for all sides, half of
 * what the slowest of them did when it warmed up. `settle(accepted, startedAt)` waits for what answers left behind
 * and resolves to further figures, errors among them. Each side has a `throughput({ seconds, amount })` of its own, which
 * is the closed loop alone, and a `warmUp(seconds)`, which is that, too.
 */
export function loadedSides(targets, { connections }) {
  const warmedUp = {};
  const throughput = async (target, size) => {
    const startedAt = performance.now();
    const closed = await closedLoop({ ...target, connections, ...size });
    return { startedAt, closed, settled: await settle(target, closed, startedAt) };
  };
  const measure = (name, target) => async (seconds) => {
    const { startedAt, closed, settled } = await throughput(target, { seconds });
    warmedUp[name] ??= closed.perSecond;
    const arrivalsPerSecond = Math.max(1, ARRIVAL_SHARE * Math.min(...Object.values(warmedUp)));
    const open = await openLoop({ ...target, connections, perSecond: arrivalsPerSecond, seconds });
    const settledAgain = await settle(target, open, startedAt);
    return {
      perSecond: closed.perSecond,
      p50: open.p50,
      p99: open.p99,
      worst: open.worst,
      closedP50: closed.p50,
      closedP99: closed.p99,
      arrivalsPerSecond,
      ...settled,
      ...(closed.problems === undefined ? {} : { problems: closed.problems }),
      errors: closed.errors + open.errors + settled.errors + settledAgain.errors,
      requests: closed.requests + open.requests,
    };
  };
  const side = (name, target) =>
    Object.assign(measure(name, target), {
      warmUp: async (seconds) => {
        const { closed, settled } = await throughput(target, { seconds });
        warmedUp[name] = closed.perSecond;
        return { ...closed, errors: closed.errors + settled.errors };
      },
      throughput: async (size) => {
        const { closed, settled } = await throughput(target, size);
        return { ...closed, ...settled, errors: closed.errors + settled.errors };
      },
    });
  return Object.fromEntries(Object.entries(targets).map(([name, target]) => [name, side(name, target)]));
}

async function settle(target, { requests, errors }, startedAt) {
  return (await target.settle?.(requests - errors, startedAt)) ?? { errors: 0 };
}
