/** Secrets that must not be seen outside; each one enters by another way. */
export const canaries = {
  credentialVariable: 'canary-credential-variable-1f6b2c',
  plainVariable: 'canary-generic-variable-82d0aa',
  headerVariable: 'canary-header-variable-7c9e13',
  environment: 'canary-environment-variable-55ab09',
  tweak: 'canary-tweak-of-a-key-04d7e1',
  savedKey: 'canary-key-in-the-flow-93c5f8',
  addressPassword: 'canary-password-in-an-address-6ee1',
  savedHeader: 'canary-header-in-the-flow-b1a94d',
  connectionString: 'canary-connection-string-d02f77',
  mcpHeader: 'canary-mcp-header-c8e3b6',
  mcpQuery: 'canary-mcp-query-2ad951',
  mcpEnvironment: 'canary-mcp-environment-77f0c2',
  mcpArgument: 'canary-mcp-argument-e41b08',
  signingSecret: 'canary-signing-secret-390dce',
  webhookBody: 'canary-body-of-a-webhook-5b8a20',
  wrongKey: 'sk-canary-wrong-key-0123456789',
  wrongKeyInQuery: 'sk-canary-key-in-the-query-0123456789',
  bearer: 'canary-bearer-token-f2c64e',
  cookie: 'canary-cookie-16d3b9',
  collector: 'canary-key-of-the-collector-a07f',
  database: 'canary-password-of-the-database-3c',
} as const;

export type CanaryName = keyof typeof canaries;

export interface Place {
  readonly name: string;
  readonly texts: readonly string[];
  /** Canaries that the place contains by design. */
  readonly except?: readonly CanaryName[];
}

/** Returns a line for each canary in each place. */
export function leaks(places: readonly Place[]): readonly string[] {
  return places.flatMap(({ name, texts, except = [] }) =>
    Object.entries(canaries)
      .filter(([canary]) => !except.includes(canary as CanaryName))
      .flatMap(([canary, secret]) =>
        texts
          .filter((text) => spellings(secret).some((spelling) => text.includes(spelling)))
          .slice(0, 2)
          .map((text) => `${canary} in ${name}: ${around(text, secret)}`),
      ),
  );
}

/** Base64 from each of the three positions in which a text can begin. */
function spellings(secret: string): readonly string[] {
  const encoded = [0, 1, 2].map((before) =>
    Buffer.from('x'.repeat(before) + secret)
      .toString('base64')
      .slice(before === 0 ? 0 : 4, -4),
  );
  return [secret, ...encoded];
}

function around(text: string, secret: string): string {
  const at = Math.max(0, text.indexOf(secret));
  return text.slice(Math.max(0, at - 150), at + secret.length + 50);
}
