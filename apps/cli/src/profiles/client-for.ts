import { version } from '@millrace/service';
import { MillraceClient } from '../client/millrace-client';
import type { Profile } from './profile-store';

/** Returns the client of a server for a command, whose requests end when the signal aborts. */
export function clientFor({ url, key }: Profile, signal: AbortSignal): MillraceClient {
  return new MillraceClient({ url, key, signal, userAgent: `millrace-cli/${version}` });
}
