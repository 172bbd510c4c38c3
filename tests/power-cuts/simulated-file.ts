/** Disks write whole blocks: of two blocks of one write, only one can be persisted. */
const BLOCK = 4096;

type Pending = { readonly position: number; readonly bytes: Buffer } | { readonly size: number };

/** Returns true to keep a change that was not synced. */
export type Keep = () => boolean;

/** The content of a file on a disk that can lose what was not synced. */
export class SimulatedFile {
  /** Longer than the file, so that it can grow; zeros after its end. */
  #bytes: Buffer;
  #size: number;
  #pending: Pending[] = [];

  constructor(content: Buffer = Buffer.alloc(0)) {
    this.#bytes = content;
    this.#size = content.length;
  }

  write(position: number, bytes: Buffer): void {
    for (let start = 0; start < bytes.length;) {
      const end = Math.min(bytes.length, start + BLOCK - ((position + start) % BLOCK));
      this.#pending.push({ position: position + start, bytes: bytes.subarray(start, end) });
      start = end;
    }
  }

  truncate(size: number): void {
    this.#pending.push({ size });
  }

  sync(): void {
    this.resolvePending(() => true);
  }

  /** Applies the unsynced changes that are kept, in order, and drops the others. */
  resolvePending(keep: Keep): void {
    const keptChanges = this.#pending.filter(keep);
    this.#pending = [];
    for (const change of keptChanges) {
      if ('size' in change) this.#resize(change.size);
      else {
        this.#resize(Math.max(this.#size, change.position + change.bytes.length));
        change.bytes.copy(this.#bytes, change.position);
      }
    }
  }

  /** The persisted content. */
  get content(): Buffer {
    return this.#bytes.subarray(0, this.#size);
  }

  #resize(size: number): void {
    if (size > this.#bytes.length)
      this.#bytes = Buffer.concat([this.content, Buffer.alloc(2 * size - this.#size)]);
    if (size < this.#size) this.#bytes.fill(0, size, this.#size);
    this.#size = size;
  }
}
