import type { LookupFunction } from 'node:net';
import type { TlsMaterial } from '@millrace/service';
import { connect, type ChannelModel } from 'amqplib';
import { settleWithin } from '../settle-within';
import { corkWrites } from './cork-writes';

export interface DialOptions {
  /** For amqps://. */
  readonly tls?: TlsMaterial | undefined;
  /** Shown by the broker's tools. */
  readonly connectionName: string;
  /** Resolves the host; the system's resolver unless given. */
  readonly lookup?: LookupFunction | undefined;
  readonly connectTimeoutMilliseconds: number;
  readonly heartbeatSeconds: number;
}

/** An open connection that can be cut without a closing handshake. */
export interface DialledConnection {
  readonly url: string;
  readonly model: ChannelModel;
  destroy(): void;
}

/** Connects once; rejects when no connection is open within the time. */
export async function dial(url: string, options: DialOptions): Promise<DialledConnection> {
  const { connectionName, connectTimeoutMilliseconds } = options;
  const cut = new AbortController();
  const socketOptions = {
    // Without this every hop waits about 40 ms because of Nagle's algorithm.
    noDelay: true,
    keepAlive: true,
    timeout: connectTimeoutMilliseconds,
    clientProperties: { connection_name: connectionName },
    // amqplib passes these options to the socket, and the signal destroys it. After a missed heartbeat amqplib only
    // ends its side, and an unresponsive peer would keep the socket open for minutes.
    signal: cut.signal,
    ...options.tls,
    ...(options.lookup && { lookup: options.lookup }),
  };
  const opening = connect(withHeartbeat(url, options.heartbeatSeconds), socketOptions);
  try {
    const model = await settleWithin(opening, connectTimeoutMilliseconds, `connecting as ${connectionName}`);
    // A cut is an error of the connection. An error without a listener ends the process, and a connection can be cut
    // before its owner listens. The event `close` follows.
    model.on('error', () => undefined);
    corkWrites(model);
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
