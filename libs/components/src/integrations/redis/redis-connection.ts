import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { ComponentError } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import { RedisErrorReply, RedisReplies, redisCommand } from './redis-replies';
import type { RedisReply, RedisWord } from './redis-replies';

const timeoutMilliseconds = 20_000;
const maximumBytes = 10 * 1_048_576;

/** A command: its name, then its arguments. */
export type RedisCommand = readonly RedisWord[];

export interface RedisAddress {
  readonly host: string;
  readonly port: number;
  readonly database: number;
  readonly username: string;
  /** Empty for a server without a password. */
  readonly password: string;
}

/**
 * Sends commands to a Redis server over a separate connection and returns the last reply. Throws a ComponentError when
 * Redis rejects a command, or when a reply takes too long.
 */
export async function callRedis(
  address: RedisAddress,
  commands: readonly RedisCommand[],
  context: ComponentContext,
): Promise<RedisReply> {
  const limit = AbortSignal.timeout(
    Math.min(timeoutMilliseconds, Math.max(1, context.remainingMilliseconds())),
  );
  const signal = AbortSignal.any([context.signal, limit]);
  let connection: Duplex | null = null;
  try {
    connection = await context.resources.dial({ host: address.host, port: address.port }, signal);
    let last: RedisReply = null;
    const replies = new RedisReplies(maximumBytes);
    for (const command of [...setupCommands(address), ...commands]) {
      last = await sendCommand(connection, replies, command, signal);
      if (last instanceof RedisErrorReply)
        throw new ComponentError(`Redis refused ${String(command[0])}: ${last.message}`, last);
    }
    return last;
  } catch (error) {
    context.signal.throwIfAborted();
    if (error instanceof ComponentError) throw error;
    if (limit.aborted) throw new ComponentError(`Redis (${address.host}) did not answer in time.`, error);
    const reason = error instanceof Error ? error.message : String(error);
    throw new ComponentError(`Redis (${address.host}) could not be reached: ${reason}`, error);
  } finally {
    connection?.destroy();
  }
}

function setupCommands({ username, password, database }: RedisAddress): readonly RedisCommand[] {
  const names = username === '' ? [] : [username];
  return [
    ...(password === '' ? [] : [['AUTH', ...names, password]]),
    ...(database === 0 ? [] : [['SELECT', String(database)]]),
  ];
}

async function sendCommand(
  connection: Duplex,
  replies: RedisReplies,
  command: RedisCommand,
  signal: AbortSignal,
): Promise<RedisReply> {
  connection.write(redisCommand(command));
  for (;;) {
    const reply = replies.take(await nextBytes(connection, signal));
    if (reply !== undefined) return reply;
  }
}

async function nextBytes(connection: Duplex, signal: AbortSignal): Promise<Buffer> {
  const finished = new AbortController();
  const closed = once(connection, 'close', { signal: finished.signal }).then(() => null);
  const received = once(connection, 'data', { signal: AbortSignal.any([signal, finished.signal]) });
  // The losing promise is rejected by the abort below.
  closed.catch(() => undefined);
  received.catch(() => undefined);
  try {
    const chunk = (await Promise.race([received, closed])) as [Buffer] | null;
    if (chunk === null) throw new Error('the connection was closed');
    return chunk[0];
  } finally {
    finished.abort();
  }
}
