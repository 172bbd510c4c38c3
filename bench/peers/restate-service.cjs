// A service of Restate with one handler, which returns the text of its input.
const { createServer } = require('node:http2');
const { createRequire } = require('node:module');
const { join } = require('node:path');

/**
 * What the bench uses of Restate's SDK, which is no package of this workspace.
 * @typedef {object} Restate
 * @property {(definition: object) => object} service
 * @property {(options: { services: readonly object[] }) => Parameters<typeof createServer>[1]} createEndpointHandler
 */

const packages = process.env.PEER_PACKAGES ?? '';
/** @type {Restate} */
const restate = createRequire(join(packages, 'package.json'))('@restatedev/restate-sdk');

const echo = restate.service({
  name: 'Echo',
  handlers: {
    run: async (
      /** @type {unknown} */ _context,
      /** @type {{ readonly input_value: string }} */ { input_value: text },
    ) => ({ text }),
  },
});

const server = createServer({}, restate.createEndpointHandler({ services: [echo] }));
server.listen(Number(process.env.PEER_PORT), '127.0.0.1');
