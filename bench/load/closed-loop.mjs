// A closed loop: so many connections, each sending its next request when it has its answer.
import autocannon from 'autocannon';

/**
 * Runs the loop for `seconds`, or for an `amount` of requests, and resolves to { perSecond, p50, p99, errors, requests },
 * times in milliseconds. An answer that is not 2xx or lacks the text `expected` is an error.
 */
export async function closedLoop({ url, headers, body, connections, seconds, amount, expected }) {
  const result = await autocannon({
    url,
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    connections,
    timeout: 60,
    ...(amount === undefined ? { duration: seconds } : { amount }),
    ...(expected === undefined ? {} : { verifyBody: (text) => text.includes(expected) }),
  });
  return {
    perSecond: result.requests.total / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    errors: result.errors + result.non2xx + result.timeouts + result.mismatches,
    requests: result.requests.total,
  };
}
