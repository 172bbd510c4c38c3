import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { ComponentError } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import { RedisRefusal, RedisReplies, redisCommand } from './redis-replies';
import type { RedisReply } from './redis-replies';

const timeoutMilliseconds = 20_000;
const maximumBytes = 10 * 1_048_576;

export interface RedisPlace {
  readonly host: string;
  readonly port: number;
  readonly database: number;
  readonly username: string;
  /** Empty for a server that wants none. */
  readonly password: string;
}

/**
 * Sends commands to a Redis server over a connection of their own and gives the last reply. Throws a ComponentError
 * when one is refused, or when there is no answer in time.
 */
export async function askRedis(
  place: RedisPlace,
  commands: readonly (readonly string[])[],
  context: ComponentContext,
): Promise<RedisReply> {
  const limit = AbortSignal.timeout(
    Math.min(timeoutMilliseconds, Math.max(1, context.remainingMilliseconds())),
  );
  const signal = AbortSignal.any([context.signal, limit]);
  let connection: Duplex | null = null;
  try {
    connection = await context.resources.dial({ host: place.host, port: place.port }, signal);
    let last: RedisReply = null;
    const replies = new RedisReplies(maximumBytes);
    for (const command of [...greeting(place), ...commands]) {
      last = await ask(connection, replies, command, signal);
      if (last instanceof RedisRefusal)
        throw new ComponentError(`Redis refused ${command[0]}: ${last.message}`);
    }
    return last;
  } catch (error) {
    context.signal.throwIfAborted();
    if (error instanceof ComponentError) throw error;
    if (limit.aborted) throw new ComponentError(`Redis (${place.host}) did not answer in time.`, error);
    const why = error instanceof Error ? error.message : String(error);
    throw new ComponentError(`Redis (${place.host}) could not be reached: ${why}`, error);
  } finally {
    connection?.destroy();
  }
}

function greeting({ username, password, database }: RedisPlace): readonly (readonly string[])[] {
  const names = username === '' ? [] : [username];
  return [
    ...(password === '' ? [] : [['AUTH', ...names, password]]),
    ...(database === 0 ? [] : [['SELECT', String(database)]]),
  ];
}

async function ask(
  connection: Duplex,
  replies: RedisReplies,
  command: readonly string[],
  signal: AbortSignal,
): Promise<RedisReply> {
  connection.write(redisCommand(command));
  for (;;) {
    const reply = replies.take(await nextBytes(connection, signal));
    if (reply !== undefined) return reply;
  }
}

async function nextBytes(connection: Duplex, signal: AbortSignal): Promise<Buffer> {
  const over = new AbortController();
  const ended = once(connection, 'close', { signal: over.signal }).then(() => null);
  const came = once(connection, 'data', { signal: AbortSignal.any([signal, over.signal]) });
  // Whichever is not awaited any more is given up below.
  ended.catch(() => undefined);
  came.catch(() => undefined);
  try {
    const got = (await Promise.race([came, ended])) as [Buffer] | null;
    if (got === null) throw new Error('the connection was closed');
    return got[0];
  } finally {
    over.abort();
  }
}
