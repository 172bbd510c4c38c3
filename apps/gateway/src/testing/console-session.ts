import type { TestGateway } from './test-gateway';

/** Headers of a request that a page of the console sends: no key, and the header without which no cookie counts. */
export const fromConsole = { 'x-api-key': '', 'x-millrace-console': '1' } as const;

/** The body of an answer that describes a session. */
export interface SessionBody {
  readonly session_id: string;
  readonly user: { readonly id: string; readonly username: string; readonly is_superuser: boolean };
  readonly scopes: readonly string[];
  readonly expires_at: string;
}

/** Signs in with a key. Resolves to the session, and the value of `Cookie` for its requests. */
export async function signIn(
  { call }: Pick<TestGateway, 'call'>,
  key: string,
): Promise<{ readonly session: SessionBody; readonly cookie: string; readonly setCookie: string }> {
  const { status, text, json, headers } = await call(
    'POST',
    '/api/v1/console/session',
    { api_key: key },
    fromConsole,
  );
  if (status !== 200) throw new Error(`signing in: ${status} ${text}`);
  const setCookie = headers.get('set-cookie') ?? '';
  return { session: json, cookie: setCookie.split(';', 1)[0] ?? '', setCookie };
}
