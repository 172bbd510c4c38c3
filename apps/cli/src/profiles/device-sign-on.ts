import { machineTime } from '@millrace/service';
import { CliError } from '../cli-error';
import { reasonOf } from '../client/reason-of';
import type { Profile, ProfileSignOn } from './profile-store';

const DEADLINE_SECONDS = 10;
/** A token that expires sooner is renewed before it is sent. */
const MARGIN_SECONDS = 30;
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

export interface DeviceSignOnOptions {
  readonly url: string;
  /** The name of the issuer; undefined where the server has one alone. */
  readonly issuer: string | undefined;
  /** Shows where the person confirms, and which code. */
  readonly show: (address: string, code: string) => void;
  readonly signal: AbortSignal;
}

interface Issuer {
  readonly name: string;
  readonly issuer: string;
  readonly cli_client_id: string | null;
  readonly scope: string;
}

/**
 * Signs in at an issuer of the server by the device flow (RFC 8628). Resolves to the ID token and how to renew it. Rejects with CliError.
 */
export async function signInByDevice({
  url,
  issuer: name,
  show,
  signal,
}: DeviceSignOnOptions): Promise<{ readonly key: string; readonly signOn: ProfileSignOn }> {
  const { issuer, clientId, scope } = await issuerOf(url, name, signal);
  return withReason(`The sign-in at ${issuer} failed`, async () => {
    const { initiateDeviceAuthorization, pollDeviceAuthorizationGrant } = await import('openid-client');
    const client = await clientOf({ issuer, clientId });
    const supported = client.serverMetadata().scopes_supported ?? [];
    // Without it many issuers give no token that renews the first one.
    const wanted = supported.includes('offline_access') ? `${scope} offline_access` : scope;
    const started = await initiateDeviceAuthorization(client, { scope: wanted });
    show(started.verification_uri_complete ?? started.verification_uri, started.user_code);
    const tokens = await pollDeviceAuthorizationGrant(client, started, undefined, { signal });
    if (tokens.id_token === undefined) throw new Error('it gave no ID token');
    return { key: tokens.id_token, signOn: { issuer, clientId, refreshToken: tokens.refresh_token } };
  });
}

/** Returns the profile; with a new token, which is stored, when the old one is about to expire. Rejects with CliError. */
export async function renewed(profile: Profile): Promise<Profile> {
  const { key, keep, url, signOn } = profile;
  if (signOn === undefined || secondsOf(key) - machineTime() / 1_000 > MARGIN_SECONDS) return profile;
  const { refreshToken } = signOn;
  if (refreshToken === undefined) throw expired(url);
  return withReason(`The sign-in at ${signOn.issuer} has ended; run millrace login --sign-on`, async () => {
    const { refreshTokenGrant } = await import('openid-client');
    const tokens = await refreshTokenGrant(await clientOf(signOn), refreshToken);
    if (tokens.id_token === undefined) throw new Error('it gave no ID token');
    const next = {
      url,
      key: tokens.id_token,
      signOn: { ...signOn, refreshToken: tokens.refresh_token ?? refreshToken },
    };
    keep?.(next);
    return { ...next, keep };
  });
}

async function issuerOf(
  url: string,
  name: string | undefined,
  signal: AbortSignal,
): Promise<{ readonly issuer: string; readonly clientId: string; readonly scope: string }> {
  const { issuers } = await withReason(`${url} does not say who signs in`, async () => {
    const deadline = AbortSignal.timeout(DEADLINE_SECONDS * 1_000);
    const answer = await fetch(`${url}/api/v1/sign-on`, {
      redirect: 'error',
      signal: AbortSignal.any([signal, deadline]),
    });
    if (!answer.ok) throw new Error(`it answered ${answer.status}`);
    return (await answer.json()) as { readonly issuers: readonly Issuer[] };
  });
  const usable = issuers.filter(({ cli_client_id: id }) => id !== null);
  const found = name === undefined ? usable : usable.filter((one) => one.name === name);
  const [issuer, other] = found;
  if (issuer?.cli_client_id == null)
    throw new CliError(
      'configuration',
      `${url} has no issuer${name === undefined ? '' : ` "${name}"`} for millrace login`,
    );
  if (other !== undefined) {
    const names = usable.map((one) => one.name).join(', ');
    throw new CliError('usage', `${url} has several issuers: choose one with --sign-on <name>: ${names}`);
  }
  return { issuer: issuer.issuer, clientId: issuer.cli_client_id, scope: issuer.scope };
}

async function clientOf({ issuer, clientId }: Pick<ProfileSignOn, 'issuer' | 'clientId'>) {
  const { allowInsecureRequests, discovery, None } = await import('openid-client');
  const address = new URL(issuer);
  const isOwnHost = address.protocol === 'http:' && LOOPBACK.has(address.hostname);
  return discovery(address, clientId, undefined, None(), {
    timeout: DEADLINE_SECONDS,
    execute: isOwnHost ? [allowInsecureRequests] : [],
  });
}

/** Returns when a JWT expires, in seconds since the epoch; 0 where it does not say so. */
function secondsOf(token: string): number {
  try {
    const payload = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString();
    return Number((JSON.parse(payload) as { readonly exp?: unknown }).exp) || 0;
  } catch {
    return 0;
  }
}

function expired(url: string): CliError {
  return new CliError(
    'configuration',
    `The sign-in at ${url} has expired, and its issuer gave no refresh token; run millrace login --sign-on`,
  );
}

async function withReason<Value>(sentence: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError('configuration', `${sentence}: ${refusalOf(error) ?? reasonOf(error)}`, error);
  }
}

/** Returns how an issuer names its refusal; undefined for another failure. */
function refusalOf(error: unknown): string | undefined {
  const { error: code } = error as { readonly error?: unknown };
  return typeof code === 'string' ? code : undefined;
}
