import { readFileSync } from 'node:fs';
import { startModelProcess, startPrometheus, startScaledSystem } from '@millrace/scaled-system';
import { TcpProxy } from '@millrace/testing';
import { setTimeout as pause } from 'node:timers/promises';
import { exampleFlow, upload, webhookFlow } from '../flows.mjs';
import { shortenRules } from './shorten-rules.mjs';

/** @import { ServiceProcess } from '@millrace/scaled-system' */
/** @import { AcquiredServices } from '../../tools/services/acquire-services.mjs' */

/** @typedef {Awaited<ReturnType<typeof openWatchedSystem>>} WatchedSystem */

const RULES = new URL('../../deploy/observability/prometheus/rules/millrace.yml', import.meta.url);
const CALL_MILLISECONDS = 15_000;
/** Between two rounds of the load: a webhook and a run. */
const ROUND_MILLISECONDS = 200;

/**
 * Starts a scaled system with one executor of four slots behind proxies, a model server, a small load, and a Prometheus
 * that scrapes the system and evaluates the rules, whose times are divided by `shorten`.
 * @param {{ readonly services: AcquiredServices, readonly shorten: number }} options
 */
export async function openWatchedSystem({ services, shorten }) {
  /** @type {(() => unknown)[]} */
  const closing = [];
  const close = async () => {
    for (const end of closing.splice(0).reverse()) await end();
  };
  try {
    const model = await startModelProcess();
    closing.push(() => model.stop());
    const proxies = {
      database: await proxyOf(services.urls.database, 5432),
      broker: await proxyOf(services.urls.broker, 5672),
      keyValue: await proxyOf(services.urls.keyValue, 6379),
    };
    for (const { proxy } of Object.values(proxies)) closing.push(() => proxy.close());
    const prefix = `${services.prefix}.`;
    const system = await startScaledSystem({
      urls: {
        database: proxies.database.url,
        broker: proxies.broker.url,
        keyValue: proxies.keyValue.url,
      },
      prefix,
      concurrency: 4,
      environment: {
        MILLRACE_BACKLOG_INTERVAL_SECONDS: '1',
        MILLRACE_OUTGOING_ALLOW: '127.0.0.1/32',
        OPENAI_BASE_URL: model.url,
        OPENAI_API_KEY: 'sk-test',
      },
    });
    closing.push(() => system.stop());
    /** Executors that are scraped besides the first one. */
    const scraped = new Set(system.executors);
    const ports = () => ({
      'millrace-gateway': [Number(system.gateway.ready.port)],
      'millrace-ingest': [system.ingestPort],
      'millrace-executor': [...scraped].map(({ ready }) => Number(ready.healthPort)),
    });
    const prometheus = await startPrometheus({
      program: services.urls.prometheus,
      rules: shortenRules(readFileSync(RULES, 'utf8'), shorten),
      ports: ports(),
    });
    closing.push(() => prometheus.stop());
    const account = { url: system.url, headers: { 'x-api-key': system.key } };
    const flows = {
      webhook: await upload(account, webhookFlow('alerts-webhook')),
      run: await upload(account, exampleFlow('echo', 'alerts-run')),
      chat: await upload(account, exampleFlow('chat', 'alerts-chat')),
      elsewhere: await upload(account, {
        ...webhookFlow('alerts-elsewhere'),
        settings: { pool: 'elsewhere' },
      }),
    };
    /**
     * @param {string} path
     * @param {object} body
     * @param {Readonly<Record<string, string>>} [headers]
     */
    const post = (path, body, headers = {}) =>
      call(`${system.url}${path}`, {
        method: 'POST',
        headers: { ...account.headers, 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      });
    const watched = {
      ...{ system, services, proxies, prometheus, flows, prefix, post, close, isShortened: shorten > 1 },
      /** @param {string} path */
      get: (path) => call(`${system.url}${path}`, { headers: account.headers }),
      /** @param {ServiceProcess} executor */
      scrape(executor) {
        scraped.add(executor);
        prometheus.scrape(ports());
      },
      /** @param {ServiceProcess} executor */
      forget(executor) {
        scraped.delete(executor);
        prometheus.scrape(ports());
      },
    };
    closing.push(startLoad(watched));
    return watched;
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * @param {string} text
 * @param {number} usualPort
 */
async function proxyOf(text, usualPort) {
  const url = new URL(text);
  const proxy = await TcpProxy.listen({ host: url.hostname, port: Number(url.port) || usualPort });
  url.hostname = '127.0.0.1';
  url.port = String(proxy.port);
  return { proxy, url: url.href };
}

/**
 * Resolves to the status; to 0 when there is no answer in time.
 * @param {string} url
 * @param {RequestInit} init
 */
async function call(url, init) {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(CALL_MILLISECONDS) });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return 0;
  }
}

/**
 * Sends webhooks and runs; faults make some fail. Returns the function that ends this.
 * @param {{ readonly post: (path: string, body: object) => Promise<number>, readonly flows: Record<'webhook' | 'run', { endpoint: string }> }} system
 */
function startLoad({ post, flows }) {
  let isOver = false;
  const rounds = (async () => {
    /** @type {Set<Promise<unknown>>} */
    const open = new Set();
    while (!isOver) {
      for (const one of [
        post(`/api/v1/webhook/${flows.webhook.endpoint}`, { text: 'hello' }),
        post(`/api/v1/run/${flows.run.endpoint}`, { input_value: 'hello' }),
      ]) {
        const sent = one.finally(() => open.delete(sent));
        open.add(sent);
      }
      await pause(ROUND_MILLISECONDS);
    }
    await Promise.all(open);
  })();
  return async () => {
    isOver = true;
    await rounds;
  };
}
