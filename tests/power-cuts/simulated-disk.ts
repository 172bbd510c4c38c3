import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { SimulatedFile } from './simulated-file';
import type { Keep } from './simulated-file';
import { SimulatedFolder } from './simulated-folder';
import type { Change } from './read-records';

/**
 * Models what a folder contains after a power failure: the disk keeps what was synced, and of the rest what `keep`
 * decides. An fsync of a file persists its content and its name, as Linux file systems do; other names of a folder are
 * persisted by an fsync of the folder. Of the name changes that were not synced, a prefix is kept.
 */
export class SimulatedDisk {
  readonly #root: string;
  readonly #top = new SimulatedFolder();
  readonly #files = new Map<number, SimulatedFile>();
  readonly #folders = new Map<number, SimulatedFolder>();

  /** Everything that exists below `root` now counts as synced. */
  constructor(root: string) {
    this.#root = root;
    this.#load(root, this.#top);
    this.#top.resolvePending(() => true);
  }

  apply(changes: readonly Change[]): void {
    for (const change of changes) this.#apply(change);
  }

  /** Replaces the content of the folder with what the disk has kept. */
  cut(keep: Keep): void {
    for (const folder of [this.#top, ...this.#folders.values()]) folder.resolvePending(keep);
    for (const file of this.#files.values()) file.resolvePending(keep);
    for (const name of readdirSync(this.#root)) rmSync(join(this.#root, name), { recursive: true });
    this.#store(this.#root, this.#top);
  }

  #apply(change: Change): void {
    switch (change.change) {
      case 'make':
        return this.#make(change);
      case 'write':
        return this.#file(change.ino).write(change.position, change.bytes);
      case 'truncate':
        return this.#file(change.ino).truncate(change.size);
      case 'sync':
        return this.#sync(change.ino);
      case 'remove':
        return this.#folderOf(change.path).remove(nameOf(change.path));
      case 'rename':
      case 'link':
        return this.#link(change);
    }
  }

  #make({ kind, path, ino }: Change & { readonly change: 'make' }): void {
    const node = kind === 'file' ? new SimulatedFile() : new SimulatedFolder();
    this.#register(ino, node);
    this.#folderOf(path).add(nameOf(path), node);
  }

  #link({ change, from, to }: Change & { readonly change: 'rename' | 'link' }): void {
    const source = this.#folderOf(from);
    const node = source.get(nameOf(from));
    if (node === undefined) throw new Error(`${from} was renamed but is not in the model`);
    const target = this.#folderOf(to);
    if (change === 'link') return target.add(nameOf(to), node);
    if (source === target) return source.rename(nameOf(from), nameOf(to));
    target.add(nameOf(to), node);
    source.remove(nameOf(from));
  }

  #sync(ino: number): void {
    const folder = this.#folders.get(ino);
    if (folder !== undefined) return folder.resolvePending(() => true);
    const file = this.#file(ino);
    file.sync();
    for (const holder of [this.#top, ...this.#folders.values()]) holder.syncNamesOf(file);
  }

  /** Inode numbers are reused after a file is deleted. */
  #register(ino: number, node: SimulatedFile | SimulatedFolder): void {
    this.#files.delete(ino);
    this.#folders.delete(ino);
    if (node instanceof SimulatedFile) this.#files.set(ino, node);
    else this.#folders.set(ino, node);
  }

  #file(ino: number): SimulatedFile {
    const file = this.#files.get(ino);
    if (file === undefined) throw new Error(`file ${ino} was changed but is not in the model`);
    return file;
  }

  #folderOf(path: string): SimulatedFolder {
    let folder = this.#top;
    for (const name of relative(this.#root, path).split(sep).slice(0, -1)) {
      const next = folder.get(name);
      if (!(next instanceof SimulatedFolder)) throw new Error(`the folder of ${path} is not in the model`);
      folder = next;
    }
    return folder;
  }

  #load(path: string, folder: SimulatedFolder): void {
    this.#folders.set(statSync(path).ino, folder);
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      const inner = join(path, entry.name);
      const node = entry.isDirectory() ? new SimulatedFolder() : new SimulatedFile(readFileSync(inner));
      this.#register(statSync(inner).ino, node);
      folder.add(entry.name, node);
      if (node instanceof SimulatedFolder) this.#load(inner, node);
    }
    folder.resolvePending(() => true);
  }

  #store(path: string, folder: SimulatedFolder): void {
    for (const [name, node] of folder.names) {
      const inner = join(path, name);
      if (node instanceof SimulatedFile) writeFileSync(inner, node.content, { mode: 0o600 });
      else {
        mkdirSync(inner, { mode: 0o700 });
        this.#store(inner, node);
      }
    }
  }
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf(sep) + 1);
}
