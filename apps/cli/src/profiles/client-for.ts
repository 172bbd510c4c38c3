import { version } from '@millrace/service';
import { MillraceClient } from '../client/millrace-client';
import { renewed } from './device-sign-on';
import type { Profile } from './profile-store';

/** Returns the client of a server for a command, whose requests end when the signal aborts. */
export function clientFor(profile: Profile, signal: AbortSignal): MillraceClient {
  const { url, key, signOn } = profile;
  // Each token is renewed once, also where requests are made at once.
  let current = Promise.resolve(profile);
  const renewedKey = async () => {
    current = current.then(renewed);
    return (await current).key;
  };
  return new MillraceClient({
    url,
    key: signOn === undefined ? key : renewedKey,
    signal,
    userAgent: `millrace-cli/${version}`,
  });
}
