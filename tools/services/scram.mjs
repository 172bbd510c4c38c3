import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';

/** SCRAM-SHA-256 (RFC 7677) from the client's side: `first`, then `final(challenge)`, both as text. */
export function scramClient(password) {
  const nonce = randomBytes(18).toString('base64');
  const firstBare = `n=,r=${nonce}`;
  return {
    first: `n,,${firstBare}`,
    final(challenge) {
      const {
        r: serverNonce = '',
        s: salt = '',
        i: iterations = '',
      } = Object.fromEntries(challenge.split(',').map((part) => [part[0], part.slice(2)]));
      if (!serverNonce.startsWith(nonce)) throw new Error('the server answered another login');
      const salted = pbkdf2Sync(
        password.normalize('NFKC'),
        Buffer.from(salt, 'base64'),
        Number(iterations),
        32,
        'sha256',
      );
      const withoutProof = `c=biws,r=${serverNonce}`;
      const clientKey = hmac(salted, 'Client Key');
      const storedKey = createHash('sha256').update(clientKey).digest();
      const signature = hmac(storedKey, `${firstBare},${challenge},${withoutProof}`);
      const proof = clientKey.map((byte, index) => byte ^ signature[index]);
      return `${withoutProof},p=${Buffer.from(proof).toString('base64')}`;
    },
  };
}

function hmac(key, text) {
  return createHmac('sha256', key).update(text).digest();
}
