import { setTimeout as pause } from 'node:timers/promises';

/** @import { Page, Request } from 'playwright-core' */

/** @typedef {{ readonly url: string, readonly headers: Readonly<Record<string, string>>, readonly at: number }} TabRequest */

const REQUEST_MILLISECONDS = 30_000;

/**
 * Records what open tabs request from the API, and requests it again without a browser: a browser on the machine of the servers
 * takes their time, which one elsewhere does not.
 */
export class TabRequests {
  /** @type {{ readonly request: Request, readonly at: number }[]} */
  #recorded = [];
  /** @type {number | undefined} */
  #startedAt;
  #record = (/** @type {Request} */ request) => {
    const { pathname } = new URL(request.url());
    if (/^\/(api|readyz)/.test(pathname)) this.#recorded.push({ request, at: performance.now() });
  };
  /** @type {Map<string, number>} */
  #counts = new Map();

  /** @param {readonly Page[]} pages */
  watch(pages) {
    this.#recorded = [];
    for (const page of pages) page.on('request', this.#record);
  }

  /** Requests from now on are repeated at their times; of earlier ones the streams are. */
  start() {
    this.#startedAt = performance.now();
  }

  /**
   * @param {readonly Page[]} pages
   * @returns {Promise<readonly TabRequest[]>}
   */
  async stop(pages) {
    for (const page of pages) page.off('request', this.#record);
    const startedAt = this.#startedAt ?? 0;
    const requests = await Promise.all(
      this.#recorded.map(async ({ request, at }) => ({
        url: request.url(),
        headers: await request.allHeaders(),
        at: Math.max(0, at - startedAt),
        isBefore: at < startedAt,
      })),
    );
    const kept = requests.filter((request) => !request.isBefore || isStream(request));
    for (const { url, isBefore } of kept) {
      const path = new URL(url).pathname.replaceAll(/[\da-f]{8}-[\da-f-]{27}/g, '…');
      const count = (this.#counts.get(path) ?? 0) + (isBefore ? 0 : 1);
      this.#counts.set(path, count);
    }
    return kept;
  }

  /** @param {number} seconds */
  print(seconds) {
    for (const [path, count] of [...this.#counts].sort((one, other) => other[1] - one[1]))
      console.log(`    ${((count * 60) / seconds).toFixed(1).padStart(7)} requests a minute ${path}`);
  }
}

/**
 * Opens the streams, and sends the other requests at their times until the signal aborts; reads and drops the answers. Resolves to
 * the number of answers that were errors.
 * @param {readonly TabRequest[]} requests
 * @param {AbortSignal} signal
 */
export async function repeatRequests(requests, signal) {
  const startedAt = performance.now();
  let errors = 0;
  await Promise.all(
    requests.map(async ({ url, headers, at }) => {
      try {
        await pause(Math.max(0, startedAt + at - performance.now()), undefined, { signal });
        const limit = isStream({ headers })
          ? signal
          : AbortSignal.any([signal, AbortSignal.timeout(REQUEST_MILLISECONDS)]);
        const answer = await fetch(url, { headers: sendable(headers), signal: limit });
        if (answer.status >= 500) errors += 1;
        await answer.arrayBuffer();
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    }),
  );
  return errors;
}

/** @param {{ readonly headers: Readonly<Record<string, string>> }} request */
function isStream({ headers }) {
  return headers.accept === 'text/event-stream';
}

/** @param {Readonly<Record<string, string>>} headers */
function sendable(headers) {
  return Object.fromEntries(
    Object.entries(headers).filter(
      ([name]) => !name.startsWith(':') && !['host', 'connection', 'last-event-id'].includes(name),
    ),
  );
}
