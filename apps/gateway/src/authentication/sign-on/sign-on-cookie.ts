import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { ownOriginOf } from '../../http/own-origin';

const NAME = 'millrace_sign_on';
const PATH = '/api/v1/sign-on';
const TOKEN_BYTES = 32;
const TOKEN = new RegExp(`(?:^|;\\s*)${NAME}=([\\w-]{43})(?:;|$)`);
const LIFETIME_SECONDS = 600;

/** What binds the answer of an issuer to the browser that asked. */
export interface SignOnSecrets {
  readonly state: string;
  readonly nonce: string;
  /** The code verifier of PKCE. */
  readonly verifier: string;
}

/** Generates the token of a sign-in. */
export function newSignOnToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** Returns the token of the sign-in that this browser has begun; null for none. */
export function signOnTokenOf(request: IncomingMessage): string | null {
  return TOKEN.exec(request.headers.cookie ?? '')?.[1] ?? null;
}

/** Derives the secrets from the token, which only the browser keeps: none of them tells the token or another one. */
export function signOnSecrets(token: string): SignOnSecrets {
  const derive = (purpose: string) => createHash('sha256').update(`${purpose} ${token}`).digest('base64url');
  return { state: derive('state'), nonce: derive('nonce'), verifier: derive('verifier') };
}

/** Returns the value of `Set-Cookie` that keeps a token for ten minutes, or with an empty text removes it. */
export function signOnCookie(request: IncomingMessage, token: string, publicUrl: string | undefined): string {
  const isEncrypted = ownOriginOf(request, publicUrl).startsWith('https:');
  const seconds = token === '' ? 0 : LIFETIME_SECONDS;
  // Lax: the browser comes back from a page of the issuer.
  const attributes = ['HttpOnly', 'SameSite=Lax', `Path=${PATH}`, `Max-Age=${seconds}`];
  return [`${NAME}=${token}`, ...attributes, ...(isEncrypted ? ['Secure'] : [])].join('; ');
}
