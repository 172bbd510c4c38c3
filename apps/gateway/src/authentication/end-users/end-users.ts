import type { IncomingMessage } from 'node:http';
import type { RefusedSignIns } from '@millrace/access';
import { HttpError } from '@millrace/http';
import type { KeyBounds, Principal } from '@millrace/runs';
import type { EndUserAuthentication } from '../../http/routing/access';
import { bearerOf } from '../sign-on/bearer-tokens';
import type { BearerTokens } from '../sign-on/bearer-tokens';
import { endUserName } from '../../end-users/end-user-sessions';

/** The header that names an end user. */
const HEADER = 'x-end-user-id';

export interface EndUsersOptions {
  /** Reads the tokens whose issuers name end users; null where there are no issuers. */
  readonly tokens: Pick<BearerTokens, 'endUserOf'> | null;
  readonly refused: Pick<RefusedSignIns, 'count'>;
}

/** Reads the end users of requests whose keys act for them. */
export class EndUsers implements EndUserAuthentication {
  readonly #options: EndUsersOptions;

  constructor(options: EndUsersOptions) {
    this.#options = options;
  }

  /**
   * Returns the end user of a request, by its token or its header as the key has it. No promise when the token is known. Throws or rejects
   * with end_user_invalid, end_user_missing and what is wrong with the token.
   */
  of(
    request: IncomingMessage,
    principal: Principal,
    by: NonNullable<KeyBounds['endUsers']>,
  ): string | Promise<string> {
    const refuse = (error: unknown): never => {
      if (error instanceof HttpError && error.status < 500)
        this.#options.refused.count({ code: error.code, request, principal });
      throw error;
    };
    const named = (name: string | null) => {
      if (name === null || name === '') throw missing(by);
      return endUserName(name);
    };
    try {
      // Node.js joins repeated headers with a comma and a space, which no name has.
      if (by === 'header') return named(String(request.headers[HEADER] ?? '').trim());
      const claimed = this.#options.tokens?.endUserOf(bearerOf(request)) ?? null;
      return claimed instanceof Promise ? claimed.then(named).catch(refuse) : named(claimed);
    } catch (error) {
      return refuse(error);
    }
  }
}

/** As in Langflow. */
function missing(by: KeyBounds['endUsers']): HttpError {
  const where =
    by === 'header' ? `the header ${HEADER} is missing` : 'the request has no token that names one';
  return new HttpError('end_user_missing', {
    error: 'End-user identity required',
    code: 'END_USER_IDENTITY_REQUIRED',
    message: `This API key acts for end users, but ${where}.`,
  });
}
