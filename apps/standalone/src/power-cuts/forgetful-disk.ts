import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { ForgetfulFile } from './forgetful-file';
import type { Keep } from './forgetful-file';
import { ForgetfulFolder } from './forgetful-folder';
import type { Change } from './read-records';

/**
 * What a folder holds after a power failure: a model of a disk that keeps what was synced, and of the rest what `keep`
 * decides. An fsync of a file keeps its content and its name, as the file systems of Linux do it; the other names of a
 * folder are kept by an fsync of the folder. Of the changes of names that were not synced, the first ones are kept.
 */
export class ForgetfulDisk {
  readonly #root: string;
  readonly #top = new ForgetfulFolder();
  readonly #files = new Map<number, ForgetfulFile>();
  readonly #folders = new Map<number, ForgetfulFolder>();

  /** Everything that is below `root` by now counts as synced. */
  constructor(root: string) {
    this.#root = root;
    this.#load(root, this.#top);
    this.#top.forget(() => true);
  }

  apply(changes: readonly Change[]): void {
    for (const change of changes) this.#apply(change);
  }

  /** Replaces what is below the folder by what the disk has kept. */
  cut(keep: Keep): void {
    for (const folder of [this.#top, ...this.#folders.values()]) folder.forget(keep);
    for (const file of this.#files.values()) file.forget(keep);
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
    const node = kind === 'file' ? new ForgetfulFile() : new ForgetfulFolder();
    this.#register(ino, node);
    this.#folderOf(path).add(nameOf(path), node);
  }

  #link({ change, from, to }: Change & { readonly change: 'rename' | 'link' }): void {
    const source = this.#folderOf(from);
    const node = source.get(nameOf(from));
    if (node === undefined) throw new Error(`${from} was renamed and is not known`);
    const target = this.#folderOf(to);
    if (change === 'link') return target.add(nameOf(to), node);
    if (source === target) return source.rename(nameOf(from), nameOf(to));
    target.add(nameOf(to), node);
    source.remove(nameOf(from));
  }

  #sync(ino: number): void {
    const folder = this.#folders.get(ino);
    if (folder !== undefined) return folder.forget(() => true);
    const file = this.#file(ino);
    file.sync();
    for (const holder of [this.#top, ...this.#folders.values()]) holder.syncNamesOf(file);
  }

  /** A number is used again for another file once the first one is deleted. */
  #register(ino: number, node: ForgetfulFile | ForgetfulFolder): void {
    this.#files.delete(ino);
    this.#folders.delete(ino);
    if (node instanceof ForgetfulFile) this.#files.set(ino, node);
    else this.#folders.set(ino, node);
  }

  #file(ino: number): ForgetfulFile {
    const file = this.#files.get(ino);
    if (file === undefined) throw new Error(`file ${ino} was changed and is not known`);
    return file;
  }

  #folderOf(path: string): ForgetfulFolder {
    let folder = this.#top;
    for (const name of relative(this.#root, path).split(sep).slice(0, -1)) {
      const next = folder.get(name);
      if (!(next instanceof ForgetfulFolder)) throw new Error(`the folder of ${path} is not known`);
      folder = next;
    }
    return folder;
  }

  #load(path: string, folder: ForgetfulFolder): void {
    this.#folders.set(statSync(path).ino, folder);
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      const inner = join(path, entry.name);
      const node = entry.isDirectory() ? new ForgetfulFolder() : new ForgetfulFile(readFileSync(inner));
      this.#register(statSync(inner).ino, node);
      folder.add(entry.name, node);
      if (node instanceof ForgetfulFolder) this.#load(inner, node);
    }
    folder.forget(() => true);
  }

  #store(path: string, folder: ForgetfulFolder): void {
    for (const [name, node] of folder.names) {
      const inner = join(path, name);
      if (node instanceof ForgetfulFile) writeFileSync(inner, node.content, { mode: 0o600 });
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
