// A provider of OpenID Connect in a process of its own, for tests. Started by `test-issuer.ts`, which sends it commands.
const { generateKeyPairSync, randomUUID } = require('node:crypto');
const { createServer } = require('node:http');

/**
 * @typedef {object} Options
 * @property {readonly object[]} clients
 * @property {Readonly<Record<string, readonly string[]>>} groups the groups of accounts
 * @property {number} [idTokenSeconds] how long ID tokens are valid
 * @property {boolean} [rotatesTokens] whether each refresh token counts once
 */

/** @type {Options} */
const options = JSON.parse(process.argv[2] ?? '{}');
let { groups } = options;
/** @type {Set<string>} */
const disabled = new Set();

/** Each process of a test has one issuer. */
const server = createServer((request, response) => void handle(request, response));
/** @type {(request: import('node:http').IncomingMessage, response: import('node:http').ServerResponse) => unknown} */
let handle = (_request, response) => response.writeHead(503).end();
let working = handle;
/** @type {import('node:http').ServerResponse[]} */
const held = [];
/** @type {{ kid: string, key: import('node:crypto').KeyObject }} */
let signing = newKey();

function newKey() {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { kid: randomUUID(), key: privateKey };
}

function serve() {
  const { Provider } = require('oidc-provider');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const jwk = { ...signing.key.export({ format: 'jwk' }), kid: signing.kid, use: 'sig', alg: 'RS256' };
  /** @param {string} id */
  const groupsOf = (id) => groups[id] ?? [];
  const provider = new Provider(`http://127.0.0.1:${port}`, {
    clients: options.clients,
    jwks: { keys: [jwk] },
    cookies: { keys: ['a key of the tests'] },
    scopes: ['openid', 'offline_access', 'profile', 'groups'],
    claims: { openid: ['sub'], profile: ['preferred_username'], groups: ['groups'] },
    conformIdTokenClaims: false,
    // Its own one refuses private addresses, which the gateway of a test has.
    fetch: (/** @type {string} */ url, /** @type {any} */ { signal, method, headers, body, redirect }) =>
      fetch(url, { signal, method, headers, body, redirect }),
    ttl: { IdToken: options.idTokenSeconds ?? 3_600 },
    ...(options.rotatesTokens ? { rotateRefreshToken: true } : {}),
    issueRefreshToken: (/** @type {unknown} */ _ctx, /** @type {any} */ client) =>
      client.grantTypeAllowed('refresh_token'),
    findAccount: (/** @type {unknown} */ _ctx, /** @type {string} */ id) =>
      disabled.has(id)
        ? undefined
        : { accountId: id, claims: () => ({ sub: id, preferred_username: id, groups: groupsOf(id) }) },
    extraTokenClaims: (/** @type {unknown} */ _ctx, /** @type {any} */ token) => ({
      groups: groupsOf(token.accountId ?? token.clientId),
    }),
    features: {
      devInteractions: { enabled: true },
      clientCredentials: { enabled: true },
      deviceFlow: { enabled: true },
      backchannelLogout: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: () => ({
          scope: 'api',
          audience: 'millrace',
          accessTokenFormat: 'jwt',
          accessTokenTTL: 600,
        }),
      },
    },
  });
  provider.on('backchannel.error', (_context, error) =>
    process.stderr.write(`the test issuer could not report a sign-out: ${error.message}\n`),
  );
  handle = working = provider.callback();
}

/** @type {Readonly<Record<string, (given: any) => unknown>>} */
const commands = {
  /** Replaces the key that signs. */
  rotate() {
    signing = newKey();
    serve();
  },
  /** The key that signs, for forged tokens. */
  key: () => ({ kid: signing.kid, pem: signing.key.export({ format: 'pem', type: 'pkcs8' }) }),
  /** Answers nothing but 503. */
  fail() {
    handle = (_request, response) => response.writeHead(503).end();
  },
  /** Answers nothing at all. */
  hang() {
    handle = (_request, response) => held.push(response);
  },
  /** Answers 401 for each access token, without the challenge that the standard has. */
  refuse() {
    handle = (request, response) =>
      request.url === '/me' ? response.writeHead(401).end() : working(request, response);
  },
  /** Answers again, by what it had granted before. */
  recover() {
    for (const response of held.splice(0)) response.destroy();
    handle = working;
  },
  /** @param {string} id */
  disable(id) {
    disabled.add(id);
  },
  /** @param {Options['groups']} given */
  setGroups(given) {
    groups = given;
  },
};

server.listen(0, '127.0.0.1', () => {
  serve();
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  process.send?.({ ready: `http://127.0.0.1:${port}` });
});
process.on('message', (/** @type {{ id: number, command: string, given: any }} */ { id, command, given }) => {
  process.send?.({ id, answer: commands[command]?.(given) ?? null });
});
process.on('disconnect', () => process.exit());
