import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import type { TlsMaterial } from '@millrace/service';

/** How a server is reached. */
export interface PostgresEncryption {
  /** The address without what is said about encryption, which the client would understand otherwise. */
  readonly url: string;
  /** False for a connection in the clear. */
  readonly ssl: ConnectionOptions | false;
  /** A server without encryption is used in the clear (sslmode=prefer). */
  readonly isOptional: boolean;
}

const modes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
type Mode = (typeof modes)[number];

const parameters = ['ssl', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'uselibpqcompat'] as const;

/**
 * What an address and the TLS settings say about encryption, as libpq reads it:
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
 * `disable` otherwise (libpq: `prefer`), and without a CA the public authorities count, as with `sslrootcert=system`.
 * Files that the URL names go before the settings.
 * Throws an Error for an unknown mode, `allow` among them, and for files that cannot be read.
 */
export function postgresEncryption(url: string, tls: TlsMaterial = {}): PostgresEncryption {
  const address = new URL(url);
  const said = (name: (typeof parameters)[number]) => address.searchParams.get(name) ?? undefined;
  const ca = said('sslrootcert') === 'system' ? undefined : (fileText(said('sslrootcert')) ?? tls.ca);
  const cert = fileText(said('sslcert')) ?? tls.cert;
  const key = fileText(said('sslkey')) ?? tls.key;
  const isSystem = said('sslrootcert') === 'system';
  const mode = modeOf(said('sslmode') ?? legacyMode(said('ssl')), [ca, cert].some(Boolean) || isSystem);
  for (const name of parameters) address.searchParams.delete(name);
  // A socket of this machine needs no encryption; libpq takes no notice of the mode either.
  const isLocal = address.searchParams.get('host')?.startsWith('/') ?? false;
  if (mode === 'disable' || isLocal) return { url: address.href, ssl: false, isOptional: false };
  return {
    url: address.href,
    ssl: { ...checking(mode, ca !== undefined || isSystem), ...given({ ca, cert, key }) },
    isOptional: mode === 'prefer',
  };
}

function checking(mode: Exclude<Mode, 'disable'>, hasAuthority: boolean): ConnectionOptions {
  if (mode === 'verify-full') return { rejectUnauthorized: true };
  const isChecked = mode === 'verify-ca' || (mode === 'require' && hasAuthority);
  return isChecked
    ? { rejectUnauthorized: true, checkServerIdentity: () => undefined }
    : { rejectUnauthorized: false };
}

function modeOf(said: string | undefined, hasMaterial: boolean): Mode {
  if (said === undefined) return hasMaterial ? 'verify-full' : 'disable';
  const mode = modes.find((one) => one === said);
  if (mode !== undefined) return mode;
  throw new Error(`sslmode must be one of ${modes.join(', ')}, but is "${said.slice(0, 40)}"`);
}

/** Before `sslmode`, addresses of Node's client said `ssl=true`. */
function legacyMode(ssl: string | undefined): string | undefined {
  if (ssl === undefined) return undefined;
  return ['true', '1', ''].includes(ssl) ? 'verify-full' : ssl === 'no-verify' ? 'require' : 'disable';
}

function fileText(path: string | undefined): string | undefined {
  if (path === undefined || path === '') return undefined;
  return readFileSync(path, 'utf8');
}

function given<Values extends object>(values: Values): Partial<Values> {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined),
  ) as Partial<Values>;
}
