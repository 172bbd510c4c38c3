// A closed loop: so many connections, each sending its next request when it has its answer.
import autocannon from 'autocannon';

const SHOWN_CHARACTERS = 300;

/**
 * Runs the loop for `seconds`, or for an `amount` of requests, and resolves to { perSecond, p50, p99, errors, requests },
 * times in milliseconds. An answer that is not 2xx or lacks the text `expected` is an error; `problems` says what came
 * instead; no answer at all is one, too. Answers of the status `refusal` are counted apart, as `refused`. `requests`, each { path, headers }, take turns
 * on every connection, which begin at different ones.
 */
export async function closedLoop({ requests, refusal, expected, ...load }) {
  let unexpected;
  const verifyBody = (text) => {
    const isExpected = text.includes(expected);
    if (!isExpected) unexpected ??= text.slice(0, SHOWN_CHARACTERS);
    return isExpected;
  };
  const { url, headers, body, connections, seconds, amount } = load;
  let offset = 0;
  const result = await autocannon({
    url,
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    connections,
    timeout: 60,
    ...(amount === undefined ? { duration: seconds } : { amount }),
    ...(expected === undefined ? {} : { verifyBody }),
    ...(requests === undefined
      ? {}
      : { setupClient: (client) => client.setRequests(turnsFrom(requests, (offset += 1), connections)) }),
  });
  const refused = result.statusCodeStats[refusal]?.count ?? 0;
  return {
    perSecond: (result.requests.total - refused) / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    // A refusal is among the mismatches, too.
    errors:
      result.errors +
      Math.max(result.non2xx, result.mismatches) -
      refused +
      (result.requests.total === 0 ? 1 : 0),
    ...problems(result, unexpected, refused),
    ...(refusal === undefined ? {} : { refused }),
    requests: result.requests.total,
  };
}

/** The requests in turn, beginning at another one for each connection. */
function turnsFrom(requests, connection, connections) {
  const first = Math.floor((requests.length * connection) / connections) % requests.length;
  const turns = [...requests.slice(first), ...requests.slice(0, first)];
  return turns.map((request) => ({ method: 'POST', ...request }));
}

/** Errors include timeouts; `unexpected` is the first answer that was. */
function problems({ errors, timeouts, mismatches, non2xx, statusCodeStats }, unexpected, refused) {
  if (errors + Math.max(non2xx, mismatches) === refused) return {};
  return {
    problems: JSON.stringify({ errors, timeouts, mismatches, statuses: statusCodeStats, unexpected }),
  };
}
