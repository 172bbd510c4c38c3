/** A token is not accepted. The reason is a fixed text, which contains nothing of the token. */
export class TokenError extends Error {
  constructor(reason: string, cause?: unknown) {
    super(reason, { cause });
    this.name = 'TokenError';
  }
}

/** Returns why jose refuses a token; null for a failure that is not the token's. */
export function reasonOf(error: unknown): string | null {
  const { code, claim } = error as { readonly code?: unknown; readonly claim?: unknown };
  if (code === 'ERR_JWT_EXPIRED') return 'it has expired';
  if (code === 'ERR_JWT_CLAIM_VALIDATION_FAILED')
    return typeof claim === 'string' && CLAIMS.has(claim)
      ? `its claim "${claim}" is not accepted`
      : 'a claim is not accepted';
  if (code === 'ERR_JOSE_ALG_NOT_ALLOWED') return 'its algorithm is not accepted';
  if (code === 'ERR_JWKS_NO_MATCHING_KEY') return 'the issuer has no such key';
  if (code === 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED') return 'its signature is wrong';
  return typeof code === 'string' && code.startsWith('ERR_J') ? 'it is malformed' : null;
}

const CLAIMS = new Set(['iss', 'aud', 'sub', 'exp', 'nbf', 'iat', 'typ']);
