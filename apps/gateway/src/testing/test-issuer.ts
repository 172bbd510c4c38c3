import { fork } from 'node:child_process';
import { createPrivateKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';

const FIXTURE = join(__dirname, 'oidc-provider.fixture.cjs');

export interface TestIssuerOptions {
  /** Clients in the form of their registration. */
  readonly clients: readonly Readonly<Record<string, unknown>>[];
  /** Groups of accounts and of clients. */
  readonly groups: Readonly<Record<string, readonly string[]>>;
  /** How long ID tokens are valid; an hour unless given. */
  readonly idTokenSeconds?: number;
  /** Whether each refresh token counts once. */
  readonly rotatesTokens?: boolean;
}

/** A real provider of OpenID Connect, npm's `oidc-provider`, in a process of its own. */
export type TestIssuer = Awaited<ReturnType<typeof startTestIssuer>>;

export async function startTestIssuer(options: TestIssuerOptions) {
  const child = fork(FIXTURE, [JSON.stringify(options)], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  const [{ ready: url }] = (await once(child, 'message')) as [{ readonly ready: string }];
  let last = 0;
  const command = async (name: string, given?: unknown): Promise<unknown> => {
    const id = (last += 1);
    child.send({ id, command: name, given });
    for (;;) {
      const [message] = (await once(child, 'message')) as [{ readonly id: number; readonly answer: unknown }];
      if (message.id === id) return message.answer;
    }
  };
  return {
    url,
    /** Replaces the key that signs tokens. */
    rotate: () => command('rotate'),
    /** Replaces the groups of accounts and clients. */
    setGroups: (given: TestIssuerOptions['groups']) => command('setGroups', given),
    /** Disables an account. */
    disable: (account: string) => command('disable', account),
    /** Lets every request fail until `recover`. */
    fail: () => command('fail'),
    recover: () => command('recover'),
    /** Answers no request until `recover`. */
    hang: () => command('hang'),
    /** Refuses access tokens by 401 without a challenge, until `recover`. */
    refuse: () => command('refuse'),
    /** The key that signs tokens, for tokens that the provider would not issue. */
    async key(): Promise<{ readonly kid: string; readonly privateKey: KeyObject }> {
      const { kid, pem } = (await command('key')) as { readonly kid: string; readonly pem: string };
      return { kid, privateKey: createPrivateKey(pem) };
    },
    /** A token of a client for the API, as a program gets it. */
    async programToken(client: string, secret: string): Promise<string> {
      const answer = await fetch(`${url}/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${Buffer.from(`${client}:${secret}`).toString('base64')}` },
        body: new URLSearchParams({
          grant_type: 'client_credentials',
          resource: 'urn:millrace',
          scope: 'api',
        }),
      });
      const body = (await answer.json()) as { readonly access_token?: string };
      if (body.access_token === undefined) throw new Error(`no token: ${JSON.stringify(body)}`);
      return body.access_token;
    },
    async stop() {
      child.disconnect();
      await once(child, 'exit');
    },
  };
}
