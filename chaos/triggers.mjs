import { setTimeout as pause } from 'node:timers/promises';

/**
 * @typedef {{ readonly id: string, readonly path: string, readonly secret: string }} Hook
 * @typedef {object} Schedule
 * @property {string} id
 * @property {'all' | 'coalesce' | 'skip'} policy
 * @property {number} seconds The time between two occurrences.
 * @property {{ readonly from: number, to: number }} active When it was created, and when it was paused (milliseconds of the clock).
 * @typedef {Awaited<ReturnType<typeof createTriggers>>} Triggers
 */

/** A trigger takes ten deliveries a second. */
const HOOKS_OF_USER = 2;
/** @type {readonly { readonly policy: Schedule['policy'], readonly seconds: number, readonly config: object }[]} */
const SCHEDULES = [
  { policy: 'all', seconds: 2, config: { every_seconds: 2, catchup_limit: 1_000, overlap_policy: 'allow' } },
  { policy: 'all', seconds: 5, config: { every_seconds: 5, catchup_limit: 1_000, overlap_policy: 'queue' } },
  { policy: 'coalesce', seconds: 3, config: { every_seconds: 3, overlap_policy: 'allow' } },
  { policy: 'skip', seconds: 3, config: { every_seconds: 3, overlap_policy: 'allow' } },
  {
    policy: 'coalesce',
    seconds: 60,
    config: { cron: '* * * * *', timezone: 'Europe/Lisbon', overlap_policy: 'allow' },
  },
];
const MAXIMUM_TRIES = 60;

/**
 * Creates the triggers of the load: inbound webhooks of several users, and schedules of each catch-up policy, which fire at once.
 * Resolves to { hooks, schedules, stop }; `stop` pauses the schedules.
 * @param {object} options
 * @param {readonly string[]} options.urls
 * @param {string} options.key
 * @param {{ readonly delivery: { readonly id: string }, readonly schedule: { readonly id: string } }} options.flows
 * @param {readonly { readonly key: string, readonly delivery: { readonly id: string } }[]} options.neighbours other users
 */
export async function createTriggers({ urls, key, flows, neighbours }) {
  /**
   * @param {string} url
   * @param {string} path
   * @param {unknown} body
   * @returns {Promise<Record<string, string>>}
   */
  const post = (url, path, body) => postAs(key, url, path, body);
  /**
   * @param {string} ownerKey
   * @param {string} url
   * @param {string} path
   * @param {unknown} body
   * @returns {Promise<Record<string, string>>}
   */
  const postAs = async (ownerKey, url, path, body) => {
    const response = await fetch(`${url}/api/v1/triggers${path}`, {
      method: 'POST',
      headers: { 'x-api-key': ownerKey, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(10_000),
    });
    if (!response.ok) throw new Error(`trigger: ${response.status} ${await response.text()}`);
    return /** @type {Record<string, string>} */ (await response.json());
  };
  /** @type {Hook[]} */
  const hooks = [];
  for (const owner of [{ key, delivery: flows.delivery }, ...neighbours])
    for (let number = 1; number <= HOOKS_OF_USER; number += 1) {
      const hook = {
        flow_id: owner.delivery.id,
        name: `hook ${number}`,
        kind: 'inbound_webhook',
        concurrency_limit: 50,
      };
      const { id } = await postAs(owner.key, urls[0], '', hook);
      const made = await postAs(owner.key, urls[0], `/${id}/signing-secret`, {});
      hooks.push({ id, path: new URL(made.ingress_url).pathname, secret: made.signing_secret });
    }
  /** @type {Schedule[]} */
  const schedules = [];
  for (const { policy, seconds, config } of SCHEDULES) {
    const name = `${policy} ${seconds}`;
    const body = {
      flow_id: flows.schedule.id,
      name,
      kind: 'schedule',
      state: 'active',
      concurrency_limit: 50,
    };
    const { id } = await post(urls[0], '', { ...body, config: { ...config, catchup_policy: policy } });
    schedules.push({ id, policy, seconds, active: { from: Date.now(), to: Infinity } });
  }
  const pauseSchedule = async (/** @type {string} */ id) => {
    for (let number = 0; ; number += 1) {
      try {
        return await post(urls[number % urls.length], `/${id}/disable`, {});
      } catch (error) {
        // A gateway can still be starting after the last fault.
        if (number === MAXIMUM_TRIES) throw error;
        await pause(1_000);
      }
    }
  };
  return {
    hooks,
    schedules,
    stop: async () => {
      await Promise.all(
        schedules.map(async ({ id, active }) => {
          active.to = Date.now();
          await pauseSchedule(id);
        }),
      );
    },
  };
}
