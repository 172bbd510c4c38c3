import { LRUCache } from 'lru-cache';
import { backgroundKey, settledKey } from '../background-key';
import { checkAppendOptions, trimThreshold } from '../append-options';
import { KeyValueUnavailableError } from '../key-value-store';
import type {
  Admission,
  Admitted,
  AppendOptions,
  KeyValueCommand,
  KeyValueStore,
  PlaceCount,
  SetOptions,
  SettledPlace,
  SharedPlaces,
} from '../key-value-store';
import { withSingleCalls } from '../single-calls';
import type { BatchStore } from '../single-calls';

export interface MemoryStoreOptions {
  readonly maximumEntries?: number;
  /** Approximate limit of keys and values together. */
  readonly maximumBytes?: number;
}

type Entry =
  { readonly text: string; readonly size: number } | { readonly list: string[]; readonly size: number };

/** A KeyValueStore in this process's memory. When it is full, it evicts the least recently used entries. */
export function openMemoryStore(options: MemoryStoreOptions = {}): KeyValueStore {
  return withSingleCalls(new MemoryStore(options));
}

class MemoryStore implements BatchStore {
  readonly #entries: LRUCache<string, Entry>;
  /** When each place that is taken expires, by key and id. As many as there are runs. */
  readonly #places = new Map<string, Map<string, number>>();
  #closed = false;

  constructor({ maximumEntries = 100_000, maximumBytes = 128 * 1024 * 1024 }: MemoryStoreOptions) {
    this.#entries = new LRUCache({
      max: maximumEntries,
      maxSize: maximumBytes,
      sizeCalculation: (entry, key) => entry.size + sizeOf(key),
      // Read the clock for each entry: a cached time depends on a timer, which a blocked event loop delays.
      ttlResolution: 0,
    });
  }

  async batch(commands: readonly KeyValueCommand[]): Promise<unknown[]> {
    this.#checkOpen();
    for (const command of commands) if (command.command === 'append') checkAppendOptions(command.options);
    // As on a server: all commands are executed, then the batch rejects with the first failure.
    const results = commands.map((command) => this.#attempt(command));
    const failed = results.find((result) => 'error' in result);
    if (failed && 'error' in failed) throw failed.error;
    return results.map((result) => ('value' in result ? result.value : undefined));
  }

  async keys(prefix: string, limit: number): Promise<string[]> {
    this.#checkOpen();
    const found: string[] = [];
    for (const key of this.#entries.keys()) {
      if (found.length >= limit) break;
      if (key.startsWith(prefix)) found.push(key);
    }
    return found;
  }

  async ping(): Promise<void> {
    this.#checkOpen();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#entries.clear();
  }

  #checkOpen(): void {
    if (this.#closed) throw new KeyValueUnavailableError('The key-value store is closed');
  }

  #attempt(command: KeyValueCommand): { value: unknown } | { error: unknown } {
    try {
      return { value: this.#execute(command) };
    } catch (error) {
      return { error };
    }
  }

  #execute(command: KeyValueCommand): unknown {
    switch (command.command) {
      case 'get':
        return this.#text(command.key) ?? null;
      case 'set':
        return this.#set(command.key, command.value, command.options ?? {});
      case 'delete':
        for (const key of command.keys) this.#entries.delete(key);
        return undefined;
      case 'append':
        this.#append(command.key, command.values.map(String), command.options);
        return undefined;
      case 'admit':
        return this.#admit(command.admission);
      case 'keep':
        this.#keep(command.key, command.ids, command.ttlMilliseconds);
        return undefined;
      case 'release':
        this.#release(command.key, command.ids);
        return undefined;
      case 'share':
        return this.#share(command.places);
      case 'settle':
        return this.#settle(command.place);
      case 'settled':
        return Number(this.#text(settledKey(command.key)) ?? 0);
      case 'note':
        this.#note(command.count);
        return undefined;
      case 'length':
        return this.#list(command.key)?.list.length ?? 0;
      case 'range':
        return slice(this.#list(command.key)?.list ?? [], command.start, command.stop);
    }
  }

  /** The entry of a rate has the time at which it allows its whole burst again. */
  #admit({ rates, amounts = [], places }: Admission): Admitted {
    const now = performance.now();
    const taken = rates.map(({ key, perSecond, burst }) => {
      const interval = 1_000 / perSecond;
      const ahead = Math.max(0, Number(this.#text(key) ?? 0) - now);
      return { key, interval, slack: interval * (burst - 1), ahead };
    });
    const waits = taken.map(({ ahead, slack }) => ahead - slack);
    const longest = Math.max(0, ...waits);
    const refuse = (refused: number, wait = 0) => ({
      refused,
      waitMilliseconds: wait,
      rates: [],
      amounts: [],
    });
    if (longest > 0) return refuse(waits.indexOf(longest), Math.ceil(longest));
    const used = amounts.map(({ key, amount }) => Number(this.#text(key) ?? 0) + amount);
    const spent = amounts.findIndex(({ maximum }, index) => (used[index] ?? 0) > maximum);
    if (spent >= 0) return refuse(rates.length + spent);
    const { id = '', ttlMilliseconds = 0, of = [] } = places ?? {};
    const full = of.findIndex(
      ({ key, maximum }) => this.#callersOf(key) + Number(this.#text(backgroundKey(key)) ?? 0) >= maximum,
    );
    if (full >= 0) return refuse(rates.length + amounts.length + full);
    for (const { key } of of) this.#keep(key, [id], ttlMilliseconds);
    const left = taken.map(({ key, interval, slack, ahead }) => {
      const reset = ahead + interval;
      const text = String(now + reset);
      this.#store(key, { text, size: sizeOf(text) }, reset + 1);
      const remaining = Math.floor((slack + interval - reset) / interval + 1e-6);
      return { remaining, resetMilliseconds: Math.ceil(reset) };
    });
    const rest = amounts.map(({ key, maximum, ttlMilliseconds: ttl }, index) => {
      this.#set(key, String(used[index]), { ttlMilliseconds: ttl });
      return maximum - (used[index] ?? 0);
    });
    return { refused: null, waitMilliseconds: 0, rates: left, amounts: rest };
  }

  #share({ key, maximum, used, wanted, isWaiting, ttlMilliseconds }: SharedPlaces): number {
    const free = Math.min(maximum - this.#callersOf(key), Math.max(1, maximum - 1)) - used;
    const granted = Math.max(0, Math.min(wanted, free));
    this.#set(backgroundKey(key), String(Math.max(used + granted, isWaiting ? 1 : 0)), { ttlMilliseconds });
    return granted;
  }

  #settle({ key, id, ttlMilliseconds }: SettledPlace): boolean {
    this.#release(key, [id]);
    const settled = Number(this.#text(settledKey(key)) ?? 0);
    this.#set(settledKey(key), String(settled + 1), { ttlMilliseconds });
    const noted = this.#text(backgroundKey(key));
    if (noted === undefined) return false;
    const left = this.#entries.getRemainingTTL(backgroundKey(key));
    this.#set(backgroundKey(key), String(Number(noted) + 1), { ttlMilliseconds: left });
    return true;
  }

  #note({ key, count, settled, ttlMilliseconds }: PlaceCount): void {
    const since = Math.max(0, Number(this.#text(settledKey(key)) ?? 0) - settled);
    this.#set(backgroundKey(key), String(count + since), { ttlMilliseconds });
  }

  #keep(key: string, ids: readonly string[], ttlMilliseconds: number): void {
    const places = this.#places.get(key) ?? new Map<string, number>();
    this.#places.set(key, places);
    for (const id of ids) places.set(id, performance.now() + ttlMilliseconds);
  }

  #release(key: string, ids: readonly string[]): void {
    const places = this.#places.get(key);
    for (const id of ids) places?.delete(id);
    if (places?.size === 0) this.#places.delete(key);
  }

  /** Returns how many places are taken that have not expired. */
  #callersOf(key: string): number {
    const now = performance.now();
    const expired = [...(this.#places.get(key) ?? [])].filter(([, until]) => until <= now);
    this.#release(
      key,
      expired.map(([id]) => id),
    );
    return this.#places.get(key)?.size ?? 0;
  }

  #set(key: string, text: string, { ttlMilliseconds, onlyIfAbsent = false }: SetOptions): boolean {
    if (onlyIfAbsent && this.#entries.has(key)) return false;
    this.#store(key, { text, size: sizeOf(text) }, ttlMilliseconds);
    return true;
  }

  #append(key: string, values: readonly string[], options: AppendOptions): void {
    const { maximumLength, ttlMilliseconds } = options;
    const { list, size } = this.#list(key) ?? { list: [], size: 0 };
    for (const value of values) list.push(value);
    const dropped = list.length > trimThreshold(options) ? list.splice(0, list.length - maximumLength) : [];
    if (list.length === 0) return;
    // A new entry with the same list, because the cache measures only new entries.
    this.#store(key, { list, size: size + totalSize(values) - totalSize(dropped) }, ttlMilliseconds);
  }

  #store(key: string, entry: Entry, ttlMilliseconds: number | undefined): void {
    const ttl = ttlMilliseconds === undefined ? 0 : Math.max(1, Math.ceil(ttlMilliseconds));
    this.#entries.set(key, entry, { ttl });
  }

  #text(key: string): string | undefined {
    const entry = this.#entries.get(key);
    if (entry && 'list' in entry) throw new TypeError(`"${key}" contains a list, not a text`);
    return entry?.text;
  }

  #list(key: string): { list: string[]; size: number } | undefined {
    const entry = this.#entries.get(key);
    if (entry && 'text' in entry) throw new TypeError(`"${key}" contains a text, not a list`);
    return entry;
  }
}

/** Size in JavaScript's encoding, plus the overhead of an entry. */
function sizeOf(text: string): number {
  return text.length * 2 + 32;
}

function totalSize(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + sizeOf(text), 0);
}

/** Positions as in LRANGE: negative ones count from the end, the last one is included. */
function slice(list: readonly string[], start: number, stop: number): string[] {
  const from = start < 0 ? Math.max(0, list.length + start) : start;
  const to = stop < 0 ? list.length + stop : stop;
  return list.slice(from, Math.max(from, to + 1));
}
