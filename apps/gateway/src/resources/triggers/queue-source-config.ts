import { QueueSourceError, readQueueSource } from '@millrace/dispatch';
import { HttpError } from '@millrace/http';
import type { TriggerConfig, TriggerStore, VariableStore } from '@millrace/runs';
import { variableProblem } from '../variables/refuse-unknown-variables';

/** Returns the configuration of a source with its defaults. Throws trigger_invalid. */
export function checkedSource(config: TriggerConfig, maximumPrefetch: number): TriggerConfig {
  try {
    return readQueueSource(config, { maximumPrefetch }).config;
  } catch (error) {
    if (error instanceof QueueSourceError) throw new HttpError('trigger_invalid', error.message);
    throw error;
  }
}

/** Throws trigger_invalid unless the user has the variable that a source's configuration names, with a broker's URL. */
export async function checkConnection(
  variables: Pick<VariableStore, 'find'>,
  { userId, config }: { readonly userId: string; readonly config: TriggerConfig },
  status: 409 | 422 = 422,
): Promise<void> {
  const { connection } = config;
  const name = typeof connection === 'string' ? connection : '';
  const problem = await variableProblem(variables, userId, { name, holds: 'broker' });
  if (problem !== null) throw new HttpError('trigger_invalid', problem, { status });
}

/** Throws too_many_triggers when the user has `limit` sources. */
export async function refuseTooManySources(
  store: TriggerStore,
  userId: string,
  limit: number,
): Promise<void> {
  if ((await store.count(userId, 'rabbitmq')) < limit) return;
  throw new HttpError('too_many_triggers', `The limit of ${limit} triggers of kind rabbitmq is reached.`);
}
