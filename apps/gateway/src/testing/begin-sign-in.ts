import { followForms } from './follow-forms';
import type { TestGateway } from './test-gateway';

/** Returns a cookie that an answer sets, as a request sends it; empty when it sets none of this name. */
export function cookieOf(headers: Headers, name: string): string {
  const set = headers.getSetCookie().find((one) => one.startsWith(`${name}=`));
  return set?.split(';', 1)[0] ?? '';
}

/** Begins a sign-in at an issuer; resolves to the cookie that binds it, and where the issuer sends the browser back. */
export async function beginSignIn(
  gateway: TestGateway,
  { name, account, callback }: { readonly name: string; readonly account: string; readonly callback: string },
): Promise<{ cookie: string; setCookie: string; back: URL }> {
  const { status, headers } = await gateway.call('GET', `/api/v1/sign-on/${name}`);
  if (status !== 302) throw new Error(`the sign-in did not begin: ${status}`);
  const { address } = await followForms(headers.get('location') ?? '', {
    fields: { login: account, password: 'any' },
    isEnd: (reached) => reached.href.startsWith(callback),
  });
  const setCookie = headers.getSetCookie().join();
  return { cookie: cookieOf(headers, 'millrace_sign_on'), setCookie, back: address };
}
