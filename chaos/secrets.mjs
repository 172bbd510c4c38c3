import { randomBytes } from 'node:crypto';

/** @import { LogWatch } from './log-watch.mjs' */

/** @typedef {ReturnType<typeof plantSecrets>} Secrets */

/**
 * Returns new secrets, which `logs` searches for in every line.
 * @param {LogWatch} logs
 */
export function plantSecrets(logs) {
  const secrets = {
    apiKey: `sk-${secret()}`,
    encryptionKey: randomBytes(32).toString('base64'),
    databasePassword: secret(),
    brokerPassword: secret(),
    modelKey: `sk-${secret()}`,
    bearer: secret(),
    cookie: secret(),
  };
  for (const [name, value] of Object.entries(secrets)) logs.plant(name, value);
  return secrets;
}

function secret() {
  return `canary${randomBytes(24).toString('hex')}`;
}
