import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '@millrace/service';
import { CliError } from '../cli-error';

const READABLE_BY_OTHERS = 0o077;
const NAME = /^[a-z0-9][a-z0-9_-]{0,62}$/i;

/** The server and the API key of an installation. */
export interface Profile {
  readonly url: string;
  /** A key, or with `signOn` a token of its issuer. */
  readonly key: string;
  readonly signOn?: ProfileSignOn | undefined;
  /** Stores a newer token in the profile. */
  readonly keep?: ((profile: Profile) => void) | undefined;
}

/** How the token of a profile is renewed. */
export interface ProfileSignOn {
  readonly issuer: string;
  readonly clientId: string;
  readonly refreshToken: string | undefined;
}

/** Profiles in files of mode 0600, one a file, in `$XDG_CONFIG_HOME/millrace/profiles`. */
export class ProfileStore {
  readonly folder: string;

  constructor(environment: Environment) {
    const configuration = environment['XDG_CONFIG_HOME'] || join(environment['HOME'] || homedir(), '.config');
    this.folder = join(configuration, 'millrace', 'profiles');
  }

  /** Returns the names of all profiles, sorted. */
  names(): string[] {
    try {
      return readdirSync(this.folder)
        .filter((name) => name.endsWith('.json'))
        .map((name) => name.slice(0, -'.json'.length))
        .toSorted();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  }

  /** Undefined when there is no such profile. Throws CliError when others can read its file, or it is damaged. */
  read(name: string): Profile | undefined {
    const file = this.#file(name);
    try {
      if (process.platform !== 'win32' && (statSync(file).mode & READABLE_BY_OTHERS) !== 0)
        throw new CliError(
          'configuration',
          `${file} can be read by other users of this machine, so it is not used; run chmod 600 ${file}`,
        );
      const { url, key, signOn } = JSON.parse(readFileSync(file, 'utf8')) as Partial<Profile>;
      if (typeof url === 'string' && typeof key === 'string')
        return { url, key, signOn, keep: (profile) => this.write(name, profile) };
    } catch (error) {
      if (error instanceof CliError) throw error;
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    }
    throw new CliError('configuration', `${file} is not a profile; run millrace login --profile ${name}`);
  }

  write(name: string, profile: Profile): void {
    const file = this.#file(name);
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    chmodSync(this.folder, 0o700);
    const draft = `${file}.new`;
    rmSync(draft, { force: true });
    writeFileSync(draft, `${JSON.stringify(profile)}\n`, { mode: 0o600, flag: 'wx' });
    renameSync(draft, file);
  }

  /** False when there is no such profile. */
  remove(name: string): boolean {
    if (!this.names().includes(name)) return false;
    rmSync(this.#file(name));
    return true;
  }

  #file(name: string): string {
    if (!NAME.test(name))
      throw new CliError('usage', `"${name}" is not a profile name: letters, digits, _ and -, at most 63`);
    return join(this.folder, `${name}.json`);
  }
}
