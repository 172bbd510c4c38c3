import type { TlsMaterial } from '@millrace/service';

export interface ReadRedisInfoOptions {
  readonly url: string;
  readonly tls: TlsMaterial | undefined;
  readonly timeoutMilliseconds: number;
}

/** Returns what each server that accepts writes answers to INFO. Rejects when one cannot be used. */
export async function readRedisInfo({
  url,
  tls,
  timeoutMilliseconds,
}: ReadRedisInfoOptions): Promise<readonly string[]> {
  // Loading the client takes a tenth of a second.
  const { makeRedisClient, primaryNodes } = await import('./redis/redis-client');
  const client = makeRedisClient({
    url,
    tls,
    retryDelay: () => null,
    lazyConnect: true,
    connection: { connectTimeout: timeoutMilliseconds, commandTimeout: timeoutMilliseconds },
  });
  // The call that fails has the reason.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await Promise.all(primaryNodes(client).map((node) => node.info()));
  } finally {
    client.disconnect();
  }
}
