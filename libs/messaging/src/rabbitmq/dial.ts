import type { TlsMaterial } from '@millrace/service';
import { connect, type ChannelModel } from 'amqplib';
import { settleWithin } from '../settle-within';
import { gatherWrites } from './gather-writes';

export interface DialOptions {
  /** For amqps://. */
  readonly tls?: TlsMaterial | undefined;
  /** Shown by the broker's tools. */
  readonly connectionName: string;
  readonly connectTimeoutMilliseconds: number;
  readonly heartbeatSeconds: number;
}

/** An open connection and the means to cut it without asking anybody. */
export interface DialledConnection {
  readonly url: string;
  readonly model: ChannelModel;
  destroy(): void;
}

/** Connects once; rejects when there is no open connection within the time. */
export async function dial(url: string, options: DialOptions): Promise<DialledConnection> {
  const { connectionName, connectTimeoutMilliseconds } = options;
  const cut = new AbortController();
  const opening = connect(withHeartbeat(url, options.heartbeatSeconds), {
    // Without this every hop waits some 40 ms for Nagle's algorithm.
    noDelay: true,
    keepAlive: true,
    timeout: connectTimeoutMilliseconds,
    clientProperties: { connection_name: connectionName },
    // amqplib hands these options to the socket, which is destroyed by the signal; after a missed heartbeat it only
    // ends its side, and a dead peer would keep the socket for minutes.
    ...{ signal: cut.signal, ...options.tls },
  });
  try {
    const model = await settleWithin(opening, connectTimeoutMilliseconds, `connecting as ${connectionName}`);
    gatherWrites(model);
    return { url, model, destroy: () => cut.abort() };
  } catch (error) {
    cut.abort();
    opening.catch(() => undefined);
    throw error;
  }
}

function withHeartbeat(url: string, heartbeatSeconds: number): string {
  const address = new URL(url);
  if (!address.searchParams.has('heartbeat')) {
    address.searchParams.set('heartbeat', String(heartbeatSeconds));
  }
  return address.href;
}
