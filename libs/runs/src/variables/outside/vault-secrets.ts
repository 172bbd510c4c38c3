import { boundedFetch, createOutgoingFetch, everyAddress, machineTime } from '@millrace/service';
import type { VaultSettings } from '@millrace/service';
import type { Secrets, SecretSource } from './secret-store';

/** Part of the lease of a token after which another one is asked for. */
const LEASE_PART = 2 / 3;
/** After a new token was refused as the old one was, refused tokens are not replaced for this time. */
const REFUSED_MILLISECONDS = 5_000;

interface Token {
  readonly text: string;
  /** On this machine's clock. */
  readonly until: number;
}

/**
 * Reads secrets of Vault's KV version 2: those of a user are the fields of the secret `<path>/<id of the user>`. Signs in with a token, or as an
 * AppRole, whose token it asks for again before its lease ends and when it is refused.
 */
export class VaultSecrets implements SecretSource {
  readonly #settings: VaultSettings;
  readonly #fetchAny = createOutgoingFetch({ allow: everyAddress });
  readonly #fetch = boundedFetch(this.#fetchAny);
  #token: Token | null = null;
  #signingIn: Promise<Token> | null = null;
  /** No refused token is replaced before, on this machine's clock. */
  #nextReplacement = 0;

  constructor(settings: VaultSettings) {
    this.#settings = settings;
  }

  async read(userId: string): Promise<Secrets> {
    const { mount, path } = this.#settings;
    const address = `${mount}/data/${path}/${userId}`;
    let token = await this.#tokenNow();
    let response = await this.#send(address, { token: token.text });
    if (response.status === 403 && this.#canReplace(token)) {
      token = await this.#tokenNow();
      response = await this.#send(address, { token: token.text });
      // Its policy refuses what was asked: another token would not help.
      if (response.status === 403) this.#nextReplacement = machineTime() + REFUSED_MILLISECONDS;
    }
    if (response.status === 404) return noSecrets(response);
    const { data } = (await bodyOf(response, 'its secrets')) as {
      readonly data?: { readonly data?: unknown };
    };
    const fields = data?.data;
    if (typeof fields !== 'object' || fields === null)
      throw new Error('Vault answered without data; is the engine KV version 2?');
    return new Map(
      Object.entries(fields).map(([name, value]: [string, unknown]) => [
        name,
        typeof value === 'string' ? value : null,
      ]),
    );
  }

  close(): Promise<void> {
    return this.#fetchAny.close();
  }

  /** Drops a refused token, unless another request has. False while it is not replaced. */
  #canReplace(refused: Token): boolean {
    if ('token' in this.#settings.login) return false;
    if (this.#token !== refused) return true;
    if (machineTime() < this.#nextReplacement) return false;
    this.#token = null;
    return true;
  }

  /** Concurrent requests share a sign-in. */
  async #tokenNow(): Promise<Token> {
    const { login } = this.#settings;
    if ('token' in login) return { text: login.token, until: Infinity };
    if (this.#token !== null && machineTime() < this.#token.until) return this.#token;
    this.#signingIn ??= this.#signIn(login).finally(() => (this.#signingIn = null));
    return this.#signingIn;
  }

  async #signIn({
    roleId,
    secretId,
  }: {
    readonly roleId: string;
    readonly secretId: string;
  }): Promise<Token> {
    const asked = machineTime();
    const body = JSON.stringify({ role_id: roleId, secret_id: secretId });
    const answer = (await bodyOf(await this.#send('auth/approle/login', { body }), 'a token')) as {
      readonly auth?: { readonly client_token?: unknown; readonly lease_duration?: unknown };
    };
    const { client_token: text, lease_duration: seconds } = answer.auth ?? {};
    if (typeof text !== 'string' || typeof seconds !== 'number')
      throw new Error('Vault answered without a token');
    // 0 is a token without an end.
    const lease = seconds === 0 ? Infinity : seconds * 1_000 * LEASE_PART;
    this.#token = { text, until: asked + lease };
    return this.#token;
  }

  #send(
    address: string,
    { token, body }: { readonly token?: string; readonly body?: string },
  ): Promise<Response> {
    const { url, namespace } = this.#settings;
    return this.#fetch(`${url}/v1/${address}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        'x-vault-request': 'true',
        ...(token === undefined ? {} : { 'x-vault-token': token }),
        ...(namespace === undefined ? {} : { 'x-vault-namespace': namespace }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body }),
    });
  }
}

/** A user without secrets, or whose latest version was deleted; another 404 is of a wrong mount or namespace, or not of Vault. */
async function noSecrets(response: Response): Promise<Secrets> {
  const body = (await response.json().catch(() => null)) as {
    readonly errors?: unknown;
    readonly data?: { readonly metadata?: unknown } | null;
  } | null;
  const isMissing = Array.isArray(body?.errors) && body.errors.length === 0;
  if (!isMissing && typeof body?.data?.metadata !== 'object')
    throw new Error('Vault answered 404 when asked for secrets; does it have the mount and the namespace?');
  return new Map();
}

/** Without the body in the error, which can contain a secret. */
async function bodyOf(response: Response, what: string): Promise<unknown> {
  if (response.status !== 200) throw new Error(`Vault answered ${response.status} when asked for ${what}`);
  const body: unknown = await response.json().catch(() => null);
  if (typeof body !== 'object' || body === null) throw new Error('Vault did not answer with JSON');
  return body;
}
