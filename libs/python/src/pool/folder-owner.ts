import { lstat, readFile, readlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { processStart } from '@millrace/service';

/** A process of this machine, until the machine starts again. */
interface FolderOwner {
  /** The boot id of the kernel and the namespace of the process id. */
  readonly place: string;
  readonly pid: number;
  /** Clock ticks from the start of the kernel to that of the process: another process can get the same id later. */
  readonly started: string;
}

const fileName = 'owner.json';
const maximumFileBytes = 1_000;

/** Notes in a folder that it belongs to this process. Does nothing outside of Linux. */
export async function writeOwner(folder: string): Promise<void> {
  const place = await placeOfProcess();
  const started = processStart(process.pid);
  if (place === null || started === undefined) return;
  const owner: FolderOwner = { place, pid: process.pid, started };
  await writeFile(join(folder, fileName), JSON.stringify(owner), { mode: 0o600 });
}

/**
 * Resolves to true when the process that a folder belongs to has certainly ended. A folder without a note, of another
 * user, of another container, of another machine or from before the start of the machine counts as in use.
 */
export async function hasEndedOwner(folder: string): Promise<boolean> {
  const owner = await readOwner(folder);
  if (owner === null || owner.place !== (await placeOfProcess())) return false;
  return processStart(owner.pid) !== owner.started;
}

/** Only folders of this user count: in a shared folder for temporary files, others can make one with this name. */
async function readOwner(folder: string): Promise<FolderOwner | null> {
  try {
    const file = join(folder, fileName);
    const [own, note] = await Promise.all([lstat(folder), lstat(file)]);
    const uid = process.getuid?.();
    if (!own.isDirectory() || own.uid !== uid) return null;
    if (!note.isFile() || note.uid !== uid || note.size > maximumFileBytes) return null;
    return ownerOf(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    return null;
  }
}

function ownerOf(value: unknown): FolderOwner | null {
  if (typeof value !== 'object' || value === null) return null;
  const { place, pid, started } = value as Partial<Record<keyof FolderOwner, unknown>>;
  if (typeof place !== 'string' || typeof started !== 'string') return null;
  if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid < 1) return null;
  return { place, pid, started };
}

/** Resolves to null where the system does not say it. */
async function placeOfProcess(): Promise<string | null> {
  try {
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8');
    return `${boot.trim()} ${await readlink('/proc/self/ns/pid')}`;
  } catch {
    return null;
  }
}
