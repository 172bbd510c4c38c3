import { objectAddress } from '@millrace/service';
import type { Metrics } from '@millrace/service';
import type { ObjectStore } from './object-store';
import { S3ObjectStore } from './s3-object-store';

export interface OpenObjectStoreOptions {
  /** The setting MILLRACE_OBJECT_STORE_URL. */
  readonly url: string | undefined;
  readonly metrics?: Pick<Metrics, 'counter'>;
}

/** Opens the object store with this URL; null without one. Connects with the first request. */
export function openObjectStore({ url, metrics }: OpenObjectStoreOptions): ObjectStore | null {
  const requests = metrics?.counter(
    'millrace_object_store_requests_total',
    'Requests to the object store, repeated ones included, by outcome',
    { labels: { outcome: ['ok', 'failed'] } },
  );
  return url === undefined
    ? null
    : new S3ObjectStore(objectAddress(url), (outcome) => requests?.add(1, { outcome }));
}
