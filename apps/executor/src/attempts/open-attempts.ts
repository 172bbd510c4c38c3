import type { Connections } from '@millrace/connections';
import { Encryption, openStores } from '@millrace/runs';
import { createOutgoingFetch, environmentVariables } from '@millrace/service';
import type { Environment, Logger } from '@millrace/service';
import { attemptLimits } from './attempt-limits';
import { resourceProviders } from './resources/resource-providers';
import { recordingOf } from './vertex-records/recording-of';
import type { ExecutorSettings } from '../settings';

export interface OpenAttemptsOptions extends Pick<Connections, 'database' | 'keyValue'> {
  readonly logger: Logger;
  readonly environment: Environment;
}

/** Opens the services that attempts use, in an executor or in a process for one attempt. */
export function openAttempts(
  settings: ExecutorSettings & Required<Pick<ExecutorSettings, 'MILLRACE_ENCRYPTION_KEY'>>,
  { database, keyValue, logger, environment }: OpenAttemptsOptions,
) {
  const encryption = Encryption.from(settings.MILLRACE_ENCRYPTION_KEY ?? []);
  const stores = openStores({ database, keyValue, encryption, isolatesLastAttempts: true, logger });
  const fetch = createOutgoingFetch({ allow: settings.MILLRACE_OUTGOING_ALLOW });
  const resources = resourceProviders(settings, { database, encryption });
  return {
    keyValue,
    ...stores,
    ...attemptLimits,
    fetch,
    resources,
    recording: recordingOf(settings),
    environmentVariable: environmentVariables(environment, settings.MILLRACE_ENVIRONMENT_VARIABLES),
  };
}
