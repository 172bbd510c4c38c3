// An open loop: requests leave at a fixed rate whether or not the ones before have been answered, so that a slow
// answer cannot hide the ones it held up.
import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

const agent = new Agent({ keepAlive: true, maxSockets: 1_024 });

/** Sends `perSecond` requests for `seconds`; resolves to { p50, p99, worst, errors, requests }, milliseconds from the
 * moment each was due. */
export async function openLoop({ url, headers, body, perSecond, seconds }) {
  const text = JSON.stringify(body);
  const total = Math.round(perSecond * seconds);
  const started = performance.now();
  const answers = [];
  for (let number = 0; number < total; number += 1) {
    const due = started + (number * 1_000) / perSecond;
    const early = due - performance.now();
    if (early > 0) await pause(early);
    answers.push(
      send(url, headers, text).then((status) => ({
        ok: status === 200,
        milliseconds: performance.now() - due,
      })),
    );
  }
  const results = await Promise.all(answers);
  const times = results.map(({ milliseconds }) => milliseconds).sort((left, right) => left - right);
  const at = (share) =>
    Number((times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0).toFixed(1));
  return {
    p50: at(0.5),
    p99: at(0.99),
    worst: at(1),
    errors: results.filter(({ ok }) => !ok).length,
    requests: total,
  };
}

function send(url, headers, text) {
  return new Promise((resolve) => {
    const call = request(
      url,
      {
        agent,
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...headers,
          'content-length': Buffer.byteLength(text),
        },
        timeout: 60_000,
      },
      (response) => response.resume().once('end', () => resolve(response.statusCode)),
    );
    call.once('error', () => resolve(0));
    call.once('timeout', () => call.destroy());
    call.end(text);
  });
}
