import { PythonAnnouncement } from '@millrace/dispatch';
import type { AnnouncedPython, PythonAnnouncementOptions } from '@millrace/dispatch';
import { LRUCache } from 'lru-cache';

const VALID_MILLISECONDS = 5_000;
const MAXIMUM_POOLS = 1_000;

/** Caches the Python that the executors of each pool announce. That of a pool without one is looked up each time. */
export class PythonEnvironments {
  readonly #announcement: PythonAnnouncement;
  readonly #cached = new LRUCache<string, AnnouncedPython>({ max: MAXIMUM_POOLS, ttl: VALID_MILLISECONDS });

  constructor(options: PythonAnnouncementOptions) {
    this.#announcement = new PythonAnnouncement(options);
  }

  /** Resolves to null when no executor of the pool announces one, and when the key-value store is unavailable. */
  async of(pool: string): Promise<AnnouncedPython | null> {
    const cached = this.#cached.get(pool);
    if (cached !== undefined) return cached;
    const announced = await this.#announcement.read(pool);
    if (announced !== null) this.#cached.set(pool, announced);
    return announced;
  }
}
