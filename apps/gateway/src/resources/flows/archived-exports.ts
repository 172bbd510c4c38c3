import { isZip, readZip } from '../../zip/read-zip';
import type { ZipMember } from '../../zip/write-zip';

/** An unpacked archive can be larger than a body. */
const LIMITS = { maximumMembers: 2_000, maximumBytes: 67_108_864 };

/** Returns the JSON files of a ZIP archive; null when the content is no archive. Throws ZipError. */
export function archivedExports(content: Buffer): readonly ZipMember[] | null {
  return isZip(content) ? readZip(content, LIMITS, isExport) : null;
}

/** Returns whether a name is that of an export. macOS adds files that are not flows to archives. */
function isExport(name: string): boolean {
  return name.toLowerCase().endsWith('.json') && !name.startsWith('__MACOSX/');
}
