import { postgresHosts, postgresPlace } from '@millrace/service';
import type { Logger, Metrics, TlsMaterial } from '@millrace/service';
import type { Database, Transactional } from '../../database';
import { chooseEncryption } from '../choose-encryption';
import { DatabaseHosts } from '../hosts/database-hosts';
import { openPostgresDatabase } from '../open-postgres-database';
import { ReplicaReads } from './replica-reads';

/** Limit of a list: a standby that hangs must not hold a caller for as long as a statement of the primary. */
const STATEMENT_TIMEOUT_MILLISECONDS = 10_000;

export interface OpenReplicaReadsOptions {
  /** URL of a standby, with one host or several; undefined for none. */
  readonly url: string | undefined;
  readonly primary: Database;
  readonly tls: TlsMaterial | undefined;
  readonly name: string;
  readonly maximumConnections: number;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** Where reads go that may be served by a replica; the database itself without one. */
export interface ListReads {
  readonly reads: Transactional;
  close(): Promise<void>;
}

/** Connects with the first read, and again after each loss: a replica that is away stops nothing. */
export async function openReplicaReads({
  url,
  primary,
  tls,
  name,
  maximumConnections,
  logger,
  metrics,
}: OpenReplicaReadsOptions): Promise<ListReads> {
  if (url === undefined) return { reads: primary, close: () => Promise.resolve() };
  logger.info({ server: postgresPlace(url), maximumConnections }, 'Database: replica for lists and history');
  const several = postgresHosts(url);
  const hosts = { ...several, target: several.target ?? 'standby' } as const;
  const replica = openPostgresDatabase({
    ...(await chooseEncryption(several.urls[0], tls)),
    hosts: several.urls.length === 1 ? undefined : new DatabaseHosts({ hosts, tls, name, logger }),
    name,
    logger,
    maximumConnections,
    statementTimeoutMilliseconds: STATEMENT_TIMEOUT_MILLISECONDS,
  });
  return { reads: new ReplicaReads({ primary, replica, logger, metrics }), close: () => replica.close() };
}
