import { constants, accessSync, existsSync, readFileSync, statfsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Encryption } from '@millrace/runs';
import { readSettings, SettingsError } from '@millrace/service';
import type { Environment } from '@millrace/service';
import { standaloneSettings } from '@millrace/standalone';
import { reasonOf } from '../client/reason-of';
import type { Findings } from './finding';

const READABLE_BY_OTHERS = 0o077;
const MEGABYTE = 1_048_576;
const LITTLE_MEGABYTES = 2_048;
const FULL_MEGABYTES = 256;
const OLDEST_NODE = '24.6';

export type DoctorSettings = ReturnType<typeof readDoctorSettings>;

export function readDoctorSettings(environment: Environment, warn: (sentence: string) => void) {
  return readSettings(standaloneSettings, environment, warn);
}

/** Reads the settings; undefined when one is wrong. */
export function checkSettings(environment: Environment, findings: Findings): DoctorSettings | undefined {
  try {
    const settings = readDoctorSettings(environment, (sentence) =>
      findings.warn(
        'setting_unknown',
        sentence,
        'Correct or remove the variable; docs/operate/configuration.md lists all.',
      ),
    );
    const keys = settings.MILLRACE_ENCRYPTION_KEY;
    if (keys !== undefined) Encryption.from(keys);
    return settings;
  } catch (error) {
    const faults = error instanceof SettingsError ? error.faults : [reasonOf(error)];
    for (const fault of faults)
      findings.error(
        'setting_wrong',
        fault,
        'Correct the variable; docs/operate/configuration.md has its values.',
      );
    return undefined;
  }
}

export function checkNode(version: string, findings: Findings): void {
  if (version.localeCompare(OLDEST_NODE, 'en', { numeric: true }) >= 0)
    return findings.fact(`Node ${version}`);
  findings.error(
    'node_old',
    `This is Node ${version}; Millrace needs ${OLDEST_NODE} or newer.`,
    `Install Node ${OLDEST_NODE}, or start with npm, which brings it.`,
  );
}

/** Checks the data folder of the standalone app: existence, permissions, disk. */
export function checkDataFolder(settings: DoctorSettings, findings: Findings): void {
  const folder = resolve(settings.MILLRACE_DATA_DIRECTORY);
  checkDisk(folder, findings);
  const status = statSync(folder, { throwIfNoEntry: false });
  if (status === undefined) return findings.fact(`${folder} does not exist yet`);
  if (!status.isDirectory())
    return findings.error(
      'data_folder_is_file',
      `${folder} is a file.`,
      'Choose another MILLRACE_DATA_DIRECTORY.',
    );
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    findings.error(
      'data_folder_refused',
      `${folder} cannot be written: ${reasonOf(error)}`,
      `Let the user of the service own it: chown -R <user> ${folder}`,
    );
  }
  for (const name of ['encryption-key', 'api-key']) checkSecretFile(join(folder, name), findings);
  if (
    existsSync(join(folder, 'database')) &&
    !existsSync(join(folder, 'encryption-key')) &&
    settings.MILLRACE_ENCRYPTION_KEY === undefined &&
    settings.DATABASE_URL === undefined
  )
    findings.error(
      'encryption_key_missing',
      `${folder} has a database, but no encryption key: stored variables cannot be decrypted.`,
      'Restore the file encryption-key from the backup, or set MILLRACE_ENCRYPTION_KEY.',
    );
  findings.fact(`data folder ${folder}`);
}

function checkSecretFile(file: string, findings: Findings): void {
  const status = statSync(file, { throwIfNoEntry: false });
  if (status === undefined) return;
  if (process.platform !== 'win32' && (status.mode & READABLE_BY_OTHERS) !== 0)
    findings.error(
      'secret_readable',
      `${file} can be read by other users of this machine.`,
      `chmod 600 ${file}`,
    );
  if (!file.endsWith('encryption-key')) return;
  try {
    Encryption.from(readFileSync(file, 'utf8').trim().split(','));
  } catch (error) {
    findings.error(
      'encryption_key_damaged',
      `${file} contains no key: ${reasonOf(error)}`,
      'Restore the file from the backup.',
    );
  }
}

function checkDisk(folder: string, findings: Findings): void {
  let existing = folder;
  while (!existsSync(existing) && dirname(existing) !== existing) existing = dirname(existing);
  const { bavail, bsize } = statfsSync(existing);
  const megabytes = Math.floor((bavail * bsize) / MEGABYTE);
  const remedy = 'Free space, or move the data folder to a larger disk.';
  if (megabytes < FULL_MEGABYTES)
    findings.error('disk_full', `${existing} has ${megabytes} MB left.`, remedy);
  else if (megabytes < LITTLE_MEGABYTES)
    findings.warn('disk_low', `${existing} has ${megabytes} MB left.`, remedy);
  else findings.fact(`${megabytes} MB of disk left`);
}
