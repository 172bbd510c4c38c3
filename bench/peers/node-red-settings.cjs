// The settings with which the bench starts Node-RED: no editor, errors only in the log, and, where PEER_DATABASE_URL is
// set, a pool of connections that the flow reaches as `pool` of the global context.
const { createRequire } = require('node:module');
const { join } = require('node:path');

const { PEER_PORT, PEER_DATABASE_URL, PEER_PACKAGES = '' } = process.env;

/** As many as the executor of Millrace has. */
const CONNECTIONS = 10;

function connect() {
  const { Pool } = createRequire(join(PEER_PACKAGES, 'package.json'))('pg');
  return new Pool({ connectionString: PEER_DATABASE_URL, max: CONNECTIONS });
}

module.exports = {
  uiPort: Number(PEER_PORT),
  uiHost: '127.0.0.1',
  httpAdminRoot: false,
  flowFile: 'flows.json',
  telemetry: { enabled: false, updateNotification: false },
  logging: { console: { level: 'error', metrics: false, audit: false } },
  functionGlobalContext: PEER_DATABASE_URL === undefined ? {} : { pool: connect() },
};
