import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { PrincipalCache } from '@millrace/access';
import { hashApiKey } from '@millrace/runs';
import type { ConsolePrincipal } from '@millrace/runs';
import type { SessionChecks } from './sign-on/session-checks';
import { isFromOwnPage, ownOriginOf } from '../http/own-origin';

const NAME = 'millrace_session';
const TOKEN_BYTES = 32;
const TOKEN = new RegExp(`(?:^|;\\s*)${NAME}=([\\w-]{43})(?:;|$)`);

export interface SessionCookieOptions {
  readonly sessions: PrincipalCache<ConsolePrincipal>;
  /** Checks the sessions that issuers opened; null where none is configured. */
  readonly checks: Pick<SessionChecks, 'confirm'> | null;
  readonly publicUrl: string | undefined;
}

/** The cookie of the web console: a random token, which counts only in requests of the console's own pages. */
export class SessionCookie {
  readonly #options: SessionCookieOptions;

  constructor(options: SessionCookieOptions) {
    this.#options = options;
  }

  /** Generates an unguessable token of 43 characters. */
  newToken(): string {
    return randomBytes(TOKEN_BYTES).toString('base64url');
  }

  /** Returns the token of a request; null when it has none, or was not sent by a page of the own origin. */
  tokenOf(request: IncomingMessage): string | null {
    const { cookie } = request.headers;
    if (cookie === undefined || !isFromOwnPage(request, this.#options.publicUrl)) return null;
    return TOKEN.exec(cookie)?.[1] ?? null;
  }

  /**
   * Returns the session of a token; null when it is unknown, expired or ended. No promise when it is cached and need not be checked. Throws or
   * rejects with issuer_unavailable.
   */
  find(token: string): ConsolePrincipal | null | Promise<ConsolePrincipal | null> {
    const found = this.findUnchecked(token);
    return found instanceof Promise ? found.then((one) => this.#confirmed(one)) : this.#confirmed(found);
  }

  /** Returns the session of a token as `find` does, without a check at its issuer. */
  findUnchecked(token: string): ConsolePrincipal | null | Promise<ConsolePrincipal | null> {
    return this.#options.sessions.find(hashApiKey(token));
  }

  #confirmed(found: ConsolePrincipal | null): ReturnType<SessionCookie['find']> {
    if (found === null || found.session.check === null) return found;
    return this.#options.checks?.confirm(found) ?? null;
  }

  /** Returns the value of `Set-Cookie` that stores a token until a time, or that removes it. */
  setCookie(request: IncomingMessage, token: string, expiresAt: Date): string {
    const isEncrypted = ownOriginOf(request, this.#options.publicUrl).startsWith('https:');
    const attributes = ['HttpOnly', 'SameSite=Strict', 'Path=/', `Expires=${expiresAt.toUTCString()}`];
    return [`${NAME}=${token}`, ...attributes, ...(isEncrypted ? ['Secure'] : [])].join('; ');
  }
}
