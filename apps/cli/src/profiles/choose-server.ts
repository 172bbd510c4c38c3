import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '@millrace/service';
import { CliError } from '../cli-error';
import { ProfileStore } from './profile-store';
import type { Profile } from './profile-store';

const DEFAULT_PROFILE = 'default';

export interface ServerOptions {
  readonly profile?: string | undefined;
  readonly url?: string | undefined;
}

/**
 * Returns the server and the key of a command. The profile is `--profile`, which the environment does not change, or
 * MILLRACE_PROFILE, of which MILLRACE_URL and MILLRACE_API_KEY replace parts. Without any of them it is the profile `default`, or else the standalone app of
 * this folder, whose key is in its data folder. Throws CliError.
 */
export function chooseServer(environment: Environment, options: ServerOptions): Profile {
  const named = options.profile ?? (environment['MILLRACE_PROFILE'] || undefined);
  const given: Environment = options.profile === undefined ? environment : {};
  const url = options.url ?? (given['MILLRACE_URL'] || undefined);
  const key = given['MILLRACE_API_KEY'] || undefined;
  if (url !== undefined && key !== undefined && named === undefined) return { url: baseUrl(url), key };
  const profile = profileOf(environment, named);
  // A key is sent only to the server that it belongs to.
  if (
    url !== undefined &&
    profile !== undefined &&
    key === undefined &&
    baseUrl(url) !== baseUrl(profile.url)
  )
    throw new CliError(
      'configuration',
      `${baseUrl(url)} is not the server of this profile; set MILLRACE_API_KEY, or run millrace login --url ${baseUrl(url)}`,
    );
  const chosen = { url: url ?? profile?.url, key: key ?? profile?.key };
  const renewal = key === undefined ? { signOn: profile?.signOn, keep: profile?.keep } : {};
  if (chosen.url === undefined)
    throw new CliError(
      'configuration',
      'No server is chosen: run millrace login, or set MILLRACE_URL and MILLRACE_API_KEY.',
    );
  if (chosen.key === undefined)
    throw new CliError(
      'configuration',
      `There is no API key for ${baseUrl(chosen.url)}; set MILLRACE_API_KEY, or run millrace login --url ${baseUrl(chosen.url)}`,
    );
  return { url: baseUrl(chosen.url), key: chosen.key, ...renewal };
}

/** Returns the URL without a trailing slash. Throws CliError. */
export function baseUrl(text: string): string {
  const parsed = URL.parse(text);
  if (parsed === null || !['http:', 'https:'].includes(parsed.protocol))
    throw new CliError(
      'usage',
      `"${text.slice(0, 200)}" is not the address of a server, such as http://127.0.0.1:7860`,
    );
  if (parsed.username !== '' || parsed.password !== '')
    throw new CliError('usage', 'The address of a server must not contain a password.');
  return `${parsed.origin}${parsed.pathname.replace(/\/+$/, '')}`;
}

function profileOf(environment: Environment, named: string | undefined): Profile | undefined {
  const store = new ProfileStore(environment);
  if (named === undefined) return store.read(DEFAULT_PROFILE) ?? ownStandalone(environment);
  const profile = store.read(named);
  if (profile === undefined)
    throw new CliError(
      'configuration',
      `There is no profile "${named}"; run millrace login --profile ${named}`,
    );
  return profile;
}

/** The standalone app whose data folder is that of the settings. */
function ownStandalone(environment: Environment): Profile | undefined {
  const folder = environment['MILLRACE_DATA_DIRECTORY'] || '.millrace';
  try {
    const key = readFileSync(join(folder, 'api-key'), 'utf8').trim();
    return key === '' ? undefined : { url: `http://127.0.0.1:${environment['PORT'] || '7860'}`, key };
  } catch {
    return undefined;
  }
}
