/** Returns the time in the format that Langflow puts before the name of an archive: `20260131_100000`. */
export function archiveStamp(date: Date): string {
  return date.toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '_');
}
