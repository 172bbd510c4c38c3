import { serverTls } from '@millrace/service';
import type { commonSettings, SettingsValues } from '@millrace/service';

type ServerSettings = Pick<
  SettingsValues<typeof commonSettings>,
  | 'DATABASE_URL'
  | 'DATABASE_DIRECT_URL'
  | 'DATABASE_PREPARED_STATEMENTS'
  | 'AMQP_URL'
  | 'REDIS_URL'
  | 'MILLRACE_PREFIX'
> &
  Parameters<typeof serverTls>[0];

/** Returns where the settings of a process say that its servers are, as options of openConnections. */
export function serversOf(settings: ServerSettings) {
  return {
    databaseUrl: settings.DATABASE_URL,
    directDatabaseUrl: settings.DATABASE_DIRECT_URL,
    preparedStatements: settings.DATABASE_PREPARED_STATEMENTS,
    brokerUrl: settings.AMQP_URL,
    keyValueUrl: settings.REDIS_URL,
    tls: serverTls(settings),
    prefix: settings.MILLRACE_PREFIX,
  };
}
