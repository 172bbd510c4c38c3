import { BlockList, isIP } from 'node:net';
import type { pythonSettings } from './python-settings';
import type { SettingsValues } from './setting';
import { SettingsError } from './settings-error';

type PythonSettings = SettingsValues<typeof pythonSettings>;

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Returns the pool of the flows that need Python and name no pool; null while Python is off. */
export function pythonPoolOf({
  MILLRACE_PYTHON,
  MILLRACE_PYTHON_POOL,
}: Pick<PythonSettings, 'MILLRACE_PYTHON' | 'MILLRACE_PYTHON_POOL'>): string | null {
  return MILLRACE_PYTHON === 'off' ? null : MILLRACE_PYTHON_POOL;
}

/**
 * Checks that the operator has confirmed `MILLRACE_PYTHON=all` where others than the users of the machine can reach the
 * installation: by `host`, the address that it listens on, or always when that is null. Throws SettingsError.
 */
export function checkPythonExposure(
  {
    MILLRACE_PYTHON,
    MILLRACE_PYTHON_ALL_ALLOWED,
  }: Pick<PythonSettings, 'MILLRACE_PYTHON' | 'MILLRACE_PYTHON_ALL_ALLOWED'>,
  host: string | null,
): void {
  if (MILLRACE_PYTHON !== 'all' || MILLRACE_PYTHON_ALL_ALLOWED) return;
  if (host !== null && isLoopback(host)) return;
  const where = host === null ? 'an executor' : `HOST=${host}`;
  throw new SettingsError([
    `MILLRACE_PYTHON=all with ${where} lets everyone with an API key execute Python: set MILLRACE_PYTHON_ALL_ALLOWED=true to confirm it, or MILLRACE_PYTHON=approved`,
  ]);
}

/**
 * Returns what the option `--python` makes of the setting: it switches Python on where the setting leaves it off. On a loopback
 * address all code is the user's own and needs no approval.
 */
export function pythonModeWithOption(
  mode: PythonSettings['MILLRACE_PYTHON'],
  host: string,
): 'approved' | 'all' {
  if (mode !== 'off') return mode;
  return isLoopback(host) ? 'all' : 'approved';
}

/** Returns true for an address, or `localhost`, that only this machine can reach. */
function isLoopback(host: string): boolean {
  if (host === 'localhost') return true;
  const family = isIP(host);
  return family !== 0 && loopback.check(host, family === 6 ? 'ipv6' : 'ipv4');
}
