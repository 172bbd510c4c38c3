import { Cluster } from 'ioredis';
import type { Redis } from 'ioredis';
import { KeyValueUnavailableError } from '../key-value-store';
import type { RedisClient } from './redis-client';
import type { RedisCommand } from './redis-commands';

/** The answer to one command: an error or a value. */
export type Reply = readonly [error: Error | null, value: unknown];

/**
 * Sends commands and resolves to their replies, in order. Rejects when no server answered; errors that servers answered,
 * and those of single nodes of a cluster, are among the replies.
 */
export type SendCommands = (commands: readonly RedisCommand[]) => Promise<readonly Reply[]>;

export function sendCommands(client: RedisClient, timeoutMilliseconds: number): SendCommands {
  return client instanceof Cluster
    ? (commands) => sendToCluster(client, commands, timeoutMilliseconds)
    : (commands) => sendPipeline(client, commands, timeoutMilliseconds);
}

function sendPipeline(
  redis: Redis,
  commands: readonly RedisCommand[],
  timeoutMilliseconds: number,
): Promise<readonly Reply[]> {
  return new Promise((resolve, reject) => {
    const stopTimer = afterTimeout(timeoutMilliseconds, reject);
    redis
      .pipeline(commands.map((command) => [...command]))
      .exec()
      .then((replies) => {
        const lost = replies?.find(([error]) => error && !isAnswer(error))?.[0];
        if (lost || !replies) reject(lost ?? new Error('no replies'));
        else resolve(replies);
      }, reject)
      .finally(stopTimer);
  });
}

/**
 * Sends each command to the node of its key: a pipeline could serve one node only. A node that does not answer costs the
 * commands of its keys, and the others the wait until the deadline. Commands of one key keep their order, except while
 * its node is being replaced.
 */
function sendToCluster(
  cluster: Cluster,
  commands: readonly RedisCommand[],
  timeoutMilliseconds: number,
): Promise<readonly Reply[]> {
  return new Promise((resolve, reject) => {
    const replies = new Map<number, Reply>();
    const finish = (unanswered: Error) => {
      stopTimer();
      const all = commands.map((_, index): Reply => replies.get(index) ?? [unanswered, undefined]);
      if (all.every(([error]) => error && !isAnswer(error))) reject(all[0]?.[0] ?? unanswered);
      else resolve(all);
    };
    const stopTimer = afterTimeout(timeoutMilliseconds, finish);
    const settle = (index: number, reply: Reply) => {
      replies.set(index, reply);
      if (replies.size === commands.length) finish(new Error('no replies'));
    };
    for (const [index, [name, ...parameters]] of commands.entries()) {
      cluster.call(name, ...parameters).then(
        (value) => settle(index, [null, value]),
        (error: Error) => settle(index, [error, undefined]),
      );
    }
  });
}

/** Returns a function that stops the timer. */
function afterTimeout(milliseconds: number, act: (error: Error) => void): () => void {
  const timer = setTimeout(() => {
    // After reading this turn's input: if this process itself was blocked, the answer may have arrived already.
    setImmediate(() => act(new KeyValueUnavailableError(`Redis did not answer within ${milliseconds} ms`)));
  }, milliseconds);
  return () => clearTimeout(timer);
}

/** Whether the error is an answer of Redis. */
function isAnswer(error: Error): boolean {
  return error.name === 'ReplyError';
}
