import type { Environment, Logger } from '@millrace/service';
import { applyPlan, planFolder } from './plan-folder';
import type { ApplyApi } from './plan-folder';
import { readFolder } from './read-folder';

const DEADLINE_MILLISECONDS = 60_000;

export interface ApplyAtStartOptions {
  /** Undefined applies nothing. */
  readonly directory: string | undefined;
  /** Of this gateway. */
  readonly url: string;
  /** The key of the user who gets the records; undefined when there is none. */
  readonly key: string | undefined;
  readonly environment: Environment;
  readonly logger: Logger;
}

/**
 * Applies a folder to the gateway of this process, over its own interface, and deletes nothing. A fault is logged: the
 * gateway serves what it has. Never rejects.
 */
export async function applyAtStart({
  directory,
  url,
  key,
  environment,
  logger,
}: ApplyAtStartOptions): Promise<void> {
  if (directory === undefined) return;
  try {
    if (key === undefined) throw new Error('no API key is known; set MILLRACE_BOOTSTRAP_API_KEY');
    const api = ownApi(url, key);
    const plan = await planFolder(api, readFolder(directory, environment), { prune: false });
    await applyPlan(api, plan);
    const changed = plan.changes.map(({ kind, name, action }) => `${kind} ${name}: ${action}`);
    logger.info({ directory, changed, unchanged: plan.unchanged }, 'the folder of flows is applied');
  } catch (error) {
    logger.error({ directory, error }, 'the folder of flows was not applied completely');
  }
}

function ownApi(url: string, key: string): ApplyApi {
  return {
    async json<T>(path: string, { method = 'GET', body }: { method?: string; body?: unknown } = {}) {
      const response = await fetch(url + path, {
        method,
        headers: { 'x-api-key': key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(DEADLINE_MILLISECONDS),
      });
      const text = await response.text();
      if (!response.ok)
        throw new Error(`${method} ${path} answered ${response.status}: ${text.slice(0, 500)}`);
      return (text === '' ? null : JSON.parse(text)) as T;
    },
  };
}
