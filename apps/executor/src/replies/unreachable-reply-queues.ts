import { LRUCache } from 'lru-cache';

/** Reply queues that were missing for longer than a reconnect takes; frames to them are sent once, without retries. */
export class UnreachableReplyQueues {
  readonly #queues = new LRUCache<string, true>({ maxSize: 1_000, sizeCalculation: () => 1, ttl: 30_000 });

  add(replyTo: string): void {
    this.#queues.set(replyTo, true);
  }

  has(replyTo: string): boolean {
    return this.#queues.has(replyTo);
  }

  delete(replyTo: string): void {
    this.#queues.delete(replyTo);
  }
}
