// A closed loop: so many connections, each sending its next request when it has its answer.
import autocannon from 'autocannon';

/** Runs the loop and resolves to { perSecond, p50, p99, errors, requests }; times in milliseconds. */
export async function closedLoop({ url, headers, body, connections, seconds }) {
  const result = await autocannon({
    url,
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    connections,
    duration: seconds,
  });
  return {
    perSecond: result.requests.total / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    errors: result.errors + result.non2xx + result.timeouts,
    requests: result.requests.total,
  };
}

export function median(values) {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)];
}
