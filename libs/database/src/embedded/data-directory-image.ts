import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { readMigrationFiles } from '../migrate/migration-file';

/**
 * The content of a data directory that has all tables. An image is a file: gzip of the length of the header (4 bytes),
 * the header as JSON, and the contents of the files. Files of equal content refer to the same bytes. The checksum of gzip
 * covers everything.
 */
export interface DataDirectoryImage extends ImageHeader {
  readonly contents: Buffer;
}

interface ImageHeader {
  /** Paths with slashes, parents first. */
  readonly folders: readonly string[];
  readonly files: readonly PackedFile[];
}

interface PackedFile {
  readonly path: string;
  readonly start: number;
  readonly length: number;
}

const FORMAT = 1;
const LENGTH_BYTES = 4;

/** Returns the path of the image for this PGlite and these migrations, where the build and the tests make it. */
export function cachedImage(): string {
  return join(pglite().packages, '.cache', 'millrace', imageName());
}

/** Returns the path of the image, next to the bundle or where it is made; undefined when there is none. */
export function findImage(): string | undefined {
  return [join(__dirname, imageName()), cachedImage()].find((path) => existsSync(path));
}

/** Writes the content of a data directory, whose database was closed, to the file `image`. */
export function packImage(dataDirectory: string, image: string): void {
  const entries = readdirSync(dataDirectory, { recursive: true, withFileTypes: true })
    .map((entry) => ({ path: join(entry.parentPath, entry.name), isFolder: entry.isDirectory() }))
    .sort((left, right) => (left.path < right.path ? -1 : 1));
  const named = (path: string) => relative(dataDirectory, path).replaceAll(sep, '/');
  const starts = new Map<string, number>();
  const contents: Buffer[] = [];
  let end = 0;
  const pack = (path: string): PackedFile => {
    const content = readFileSync(path);
    const hash = createHash('sha256').update(content).digest('hex');
    const start = starts.get(hash) ?? end;
    if (!starts.has(hash)) {
      starts.set(hash, start);
      contents.push(content);
      end += content.length;
    }
    return { path: named(path), start, length: content.length };
  };
  const header: ImageHeader = {
    folders: entries.filter(({ isFolder }) => isFolder).map(({ path }) => named(path)),
    files: entries.filter(({ isFolder }) => !isFolder).map(({ path }) => pack(path)),
  };
  const text = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(text.length);
  mkdirSync(dirname(image), { recursive: true });
  const draft = `${image}.${process.pid}`;
  writeFileSync(draft, gzipSync(Buffer.concat([length, text, ...contents])));
  renameSync(draft, image);
}

/** Reads an image. Throws when the file is damaged. */
export function readImage(path: string): DataDirectoryImage {
  const bytes = gunzipSync(readFileSync(path));
  const end = LENGTH_BYTES + bytes.readUInt32BE(0);
  const header = JSON.parse(bytes.toString('utf8', LENGTH_BYTES, end)) as ImageHeader;
  return { ...header, contents: bytes.subarray(end) };
}

/** Creates `dataDirectory` with the content of an image, for its owner alone. Syncs nothing. */
export function unpackImage({ folders, files, contents }: DataDirectoryImage, dataDirectory: string): void {
  for (const folder of ['', ...folders]) mkdirSync(join(dataDirectory, folder), { mode: 0o700 });
  for (const { path, start, length } of files)
    writeFileSync(join(dataDirectory, path), contents.subarray(start, start + length), { mode: 0o600 });
}

/** A program uses an image of its own tables only. */
function imageName(): string {
  const checksums = readMigrationFiles().map(({ checksum }) => checksum);
  const made = [FORMAT, pglite().version, ...checksums].join();
  return `data-directory-${createHash('sha256').update(made).digest('hex').slice(0, 16)}.image`;
}

/** Returns the version of PGlite, and the folder of packages that contains it. */
function pglite(): { readonly version: string; readonly packages: string } {
  const folder = join(dirname(require.resolve('@electric-sql/pglite')), '..');
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
  return { version, packages: join(folder, '..', '..') };
}
