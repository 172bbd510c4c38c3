// A reader of its own, because archives come from callers: `fflate`, which the tests use, checks no CRC-32, unpacks encrypted
// members as they are, and cuts a member at a declared size that is too small. Python's zipfile, with which Langflow reads
// archives, refuses all three.
import { crc32, inflateRawSync } from 'node:zlib';
import type { ZipMember } from './write-zip';
import { CENTRAL_HEADER, DEFLATED, ENCRYPTED, END_RECORD, LOCAL_HEADER, STORED } from './zip-format';

export interface ZipLimits {
  readonly maximumMembers: number;
  /** Maximum total size of the unpacked members. */
  readonly maximumBytes: number;
}

/** The archive cannot be read: it is damaged, encrypted, has an unknown method, or exceeds the limits. */
export class ZipError extends Error {
  readonly code = 'zip_unreadable';
}

const MAXIMUM_COMMENT_BYTES = 65_535;

/** Returns whether the bytes begin like an archive, including an empty one. */
export function isZip(bytes: Buffer): boolean {
  const signature = bytes.length < END_RECORD.bytes ? 0 : bytes.readUInt32LE(0);
  return signature === LOCAL_HEADER.signature || signature === END_RECORD.signature;
}

/** Unpacks the members whose names `wanted` accepts. Throws ZipError. */
export function readZip(
  archive: Buffer,
  limits: ZipLimits,
  wanted: (name: string) => boolean,
): readonly ZipMember[] {
  const { count, start } = directoryOf(archive);
  if (count > limits.maximumMembers) throw new ZipError(`it has more than ${limits.maximumMembers} members`);
  const members: ZipMember[] = [];
  let position = start;
  let left = limits.maximumBytes;
  for (let index = 0; index < count; index += 1) {
    const entry = centralEntry(archive, position);
    position = entry.next;
    if (!wanted(entry.name)) continue;
    const content = unpack(archive, entry, left);
    left -= content.length;
    members.push({ name: entry.name, content });
  }
  return members;
}

/** Finds the directory through the end record, which a comment can follow. */
function directoryOf(archive: Buffer): { readonly count: number; readonly start: number } {
  const last = archive.length - END_RECORD.bytes;
  for (let at = last; at >= Math.max(0, last - MAXIMUM_COMMENT_BYTES); at -= 1) {
    if (archive.readUInt32LE(at) !== END_RECORD.signature) continue;
    return { count: archive.readUInt16LE(at + 10), start: archive.readUInt32LE(at + 16) };
  }
  throw new ZipError('it has no directory');
}

interface Entry {
  readonly name: string;
  readonly method: number;
  readonly isEncrypted: boolean;
  readonly checksum: number;
  readonly packedBytes: number;
  readonly bytes: number;
  readonly at: number;
  readonly next: number;
}

function centralEntry(archive: Buffer, position: number): Entry {
  const header = part(archive, position, CENTRAL_HEADER.bytes);
  if (header.readUInt32LE(0) !== CENTRAL_HEADER.signature) throw new ZipError('its directory is damaged');
  const [nameLength, extraLength, commentLength] = [28, 30, 32].map((at) => header.readUInt16LE(at)) as [
    number,
    number,
    number,
  ];
  const nameStart = position + CENTRAL_HEADER.bytes;
  return {
    name: part(archive, nameStart, nameLength).toString(),
    isEncrypted: (header.readUInt16LE(8) & ENCRYPTED) !== 0,
    method: header.readUInt16LE(10),
    checksum: header.readUInt32LE(16),
    packedBytes: header.readUInt32LE(20),
    bytes: header.readUInt32LE(24),
    at: header.readUInt32LE(42),
    next: nameStart + nameLength + extraLength + commentLength,
  };
}

function unpack(archive: Buffer, entry: Entry, maximumBytes: number): Buffer {
  if (entry.isEncrypted) throw new ZipError(`${entry.name} is encrypted`);
  if (entry.bytes > maximumBytes) throw new ZipError('it is too large when unpacked');
  const local = part(archive, entry.at, LOCAL_HEADER.bytes);
  if (local.readUInt32LE(0) !== LOCAL_HEADER.signature) throw new ZipError(`${entry.name} is missing`);
  const start = entry.at + LOCAL_HEADER.bytes + local.readUInt16LE(26) + local.readUInt16LE(28);
  const content = inflated(entry, part(archive, start, entry.packedBytes));
  if (content.length !== entry.bytes || crc32(content) !== entry.checksum)
    throw new ZipError(`${entry.name} is damaged`);
  return content;
}

function inflated({ name, method, bytes }: Entry, packed: Buffer): Buffer {
  if (method === STORED) return packed;
  if (method !== DEFLATED) throw new ZipError(`${name} has an unknown compression method`);
  try {
    // Never unpack more than the declared size.
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, bytes) });
  } catch (cause) {
    throw new ZipError(`${name} is damaged`, { cause });
  }
}

function part(archive: Buffer, start: number, length: number): Buffer {
  if (start + length > archive.length) throw new ZipError('it is truncated');
  return archive.subarray(start, start + length);
}
