import { AsyncLocalStorage } from 'node:async_hooks';

const keys = new AsyncLocalStorage<string | null>();

/** Sends the HTTP request of a tool call with its key. */
export function withCallKey<Result>(key: string | null, send: () => Result): Result {
  return key === null ? send() : keys.run(key, send);
}

/** Adds the key of the tool call that is being sent to its request. */
export function withKeyHeader(init: RequestInit | undefined): RequestInit | undefined {
  const key = keys.getStore();
  if (!key || init?.method !== 'POST') return init;
  const headers = new Headers(init.headers);
  headers.set('idempotency-key', key);
  return { ...init, headers };
}
