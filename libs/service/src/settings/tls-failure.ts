/**
 * Returns why a TLS connection to a server failed, as the end of a sentence, with the setting that changes it;
 * undefined for other failures. With `isEncrypted` a reset connection counts as well: servers that require a client
 * certificate reset the connection before their reason arrives. `prefix` begins the names of the server's settings
 * (DATABASE, AMQP, REDIS). Examines the error and its causes.
 */
export function tlsFailure(error: unknown, prefix: string, isEncrypted: boolean): string | undefined {
  let wasReset = false;
  for (let one = error, depth = 0; one !== undefined && one !== null && depth < 8; depth += 1) {
    const { code, message, cause } = one as { code?: unknown; message?: unknown; cause?: unknown };
    wasReset ||= code === 'ECONNRESET' || code === 'EPIPE';
    const reason = reasonOf(String(code ?? ''), String(message ?? ''), prefix);
    if (reason !== undefined) return reason;
    one = cause;
  }
  if (!wasReset || !isEncrypted) return undefined;
  return `it closed the connection, as servers do that require a client certificate; ${certificateSettings(prefix)}`;
}

/** OpenSSL's codes for certificates that no trusted authority has signed. */
const untrusted = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_SIGNATURE_FAILURE',
]);

const notTls = new Set(['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG']);

function reasonOf(code: string, message: string, prefix: string): string | undefined {
  if (code === 'CERT_HAS_EXPIRED') return 'its certificate has expired';
  if (code === 'CERT_NOT_YET_VALID') return 'its certificate is not valid yet; compare the clocks';
  if (untrusted.has(code)) {
    return `its certificate is signed by an authority that is not trusted here; ${prefix}_TLS_CA names the trusted ones`;
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `its certificate was issued to another host (${message})`;
  if (/^ERR_SSL_\w*ALERT_(?:CERTIFICATE_EXPIRED)/.test(code))
    return 'it reports that the client certificate has expired';
  if (/^ERR_SSL_\w*ALERT_(?:CERTIFICATE_REQUIRED|HANDSHAKE_FAILURE)/.test(code)) {
    return `it requires a client certificate; ${certificateSettings(prefix)}`;
  }
  if (message === 'connection requires a valid client certificate') {
    return `it requires a client certificate; ${certificateSettings(prefix)}`;
  }
  if (/^ERR_SSL_\w*ALERT_(?:BAD_CERTIFICATE|UNKNOWN_CA|CERTIFICATE_UNKNOWN)/.test(code)) {
    return `it refuses the client certificate of ${prefix}_TLS_CERT`;
  }
  if (notTls.has(code)) return 'it does not use TLS on this port';
  if (message === 'The server does not support SSL connections')
    return 'it has no encryption, but sslmode requires it';
  return undefined;
}

function certificateSettings(prefix: string): string {
  return `${prefix}_TLS_CERT and ${prefix}_TLS_KEY name one`;
}
