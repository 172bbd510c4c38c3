import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import type { TlsMaterial } from '@millrace/service';

/** How connections to a server are encrypted. */
export interface PostgresEncryption {
  /** The address without its encryption parameters, which the client would interpret differently. */
  readonly url: string;
  /** False for an unencrypted connection. */
  readonly ssl: ConnectionOptions | false;
  /** Whether an unencrypted connection is used when the server has no encryption (sslmode=prefer). */
  readonly isOptional: boolean;
}

const modes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
type Mode = (typeof modes)[number];

const parameters = ['ssl', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'uselibpqcompat'] as const;

/**
 * Derives the encryption from an address and the TLS settings, as libpq does:
 *
 * | sslmode       | encryption             | the server's certificate                                       |
 * | ------------- | ---------------------- | -------------------------------------------------------------- |
 * | `disable`     | never                  |                                                                |
 * | `prefer`      | where the server has it | not checked                                                   |
 * | `require`     | always                 | checked as by `verify-ca` where there is a CA, else not at all  |
 * | `verify-ca`   | always                 | signed by the CA                                               |
 * | `verify-full` | always                 | signed by the CA and issued to the host of the address          |
 *
 * Two differences from libpq: without `sslmode` the mode is `verify-full` when a CA or a client certificate is set and
 * `disable` otherwise (libpq: `prefer`), and without a CA the public authorities are used, as with
 * `sslrootcert=system`. Files that the URL names take precedence over the settings.
 * Throws an Error for an unknown mode, `allow` among them, and for files that cannot be read.
 */
export function postgresEncryption(url: string, tls: TlsMaterial = {}): PostgresEncryption {
  const address = new URL(url);
  const parameter = (name: (typeof parameters)[number]) => address.searchParams.get(name) ?? undefined;
  const ca =
    parameter('sslrootcert') === 'system' ? undefined : (fileText(parameter('sslrootcert')) ?? tls.ca);
  const cert = fileText(parameter('sslcert')) ?? tls.cert;
  const key = fileText(parameter('sslkey')) ?? tls.key;
  const isSystem = parameter('sslrootcert') === 'system';
  const mode = modeOf(
    parameter('sslmode') ?? legacyMode(parameter('ssl')),
    [ca, cert].some(Boolean) || isSystem,
  );
  for (const name of parameters) address.searchParams.delete(name);
  // A local socket needs no encryption; libpq ignores the mode as well.
  const isLocal = address.searchParams.get('host')?.startsWith('/') ?? false;
  if (mode === 'disable' || isLocal) return { url: address.href, ssl: false, isOptional: false };
  return {
    url: address.href,
    ssl: {
      ...verificationOptions(mode, ca !== undefined || isSystem),
      ...withoutUndefined({ ca, cert, key }),
    },
    isOptional: mode === 'prefer',
  };
}

function verificationOptions(mode: Exclude<Mode, 'disable'>, hasAuthority: boolean): ConnectionOptions {
  if (mode === 'verify-full') return { rejectUnauthorized: true };
  const isChecked = mode === 'verify-ca' || (mode === 'require' && hasAuthority);
  return isChecked
    ? { rejectUnauthorized: true, checkServerIdentity: () => undefined }
    : { rejectUnauthorized: false };
}

function modeOf(parameter: string | undefined, hasMaterial: boolean): Mode {
  if (parameter === undefined) return hasMaterial ? 'verify-full' : 'disable';
  const mode = modes.find((one) => one === parameter);
  if (mode !== undefined) return mode;
  throw new Error(`sslmode must be one of ${modes.join(', ')}, but is "${parameter.slice(0, 40)}"`);
}

/** Maps `ssl`, which addresses of Node's client used before `sslmode`. */
function legacyMode(ssl: string | undefined): string | undefined {
  if (ssl === undefined) return undefined;
  return ['true', '1', ''].includes(ssl) ? 'verify-full' : ssl === 'no-verify' ? 'require' : 'disable';
}

function fileText(path: string | undefined): string | undefined {
  if (path === undefined || path === '') return undefined;
  return readFileSync(path, 'utf8');
}

function withoutUndefined<Values extends object>(values: Values): Partial<Values> {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined),
  ) as Partial<Values>;
}
