import type { Connections } from '@millrace/connections';
import { Encryption, openObjectStore, openOutsideSecrets, openStores } from '@millrace/runs';
import { createOutgoingFetch, environmentVariables } from '@millrace/service';
import type { Environment, Logger, Metrics } from '@millrace/service';
import { resourceProviders } from './resources/resource-providers';
import type { ExecutorSettings } from '../settings';

export interface OpenAttemptsOptions extends Pick<Connections, 'database' | 'keyValue'> {
  readonly settings: ExecutorSettings & Required<Pick<ExecutorSettings, 'MILLRACE_ENCRYPTION_KEY'>>;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly environment: Environment;
}

/** Opens the services that attempts use, in an executor or in a process for one attempt. */
export function openAttempts(options: OpenAttemptsOptions) {
  const { settings, database, keyValue, logger, metrics, environment } = options;
  const encryption = Encryption.from(settings.MILLRACE_ENCRYPTION_KEY ?? []);
  const objects = openObjectStore({ url: settings.MILLRACE_OBJECT_STORE_URL, metrics });
  const stores = openStores({
    database,
    keyValue,
    objects,
    encryption,
    isolatesLastAttempts: true,
    logger,
    outsideSecrets: openOutsideSecrets({ setting: settings.MILLRACE_SECRET_STORE, logger, metrics }),
  });
  const fetch = createOutgoingFetch({ allow: settings.MILLRACE_OUTGOING_ALLOW });
  const resources = resourceProviders(settings, { database, encryption, files: stores.files });
  return {
    keyValue,
    objects,
    ...stores,
    fetch,
    resources,
    environmentVariable: environmentVariables(environment, settings.MILLRACE_ENVIRONMENT_VARIABLES),
  };
}
