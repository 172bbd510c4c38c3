// A broker for one test, in a separate process: `node own-broker.mjs <directory>`.
// Each message { id, action } is answered with { id, url } or { id, error }.
import { startPrivateRabbitmq } from './private-rabbitmq.mjs';
import { messageOf } from '../workspace/error-fields.mjs';

/** @import { PrivateRabbitmq } from './private-rabbitmq.mjs' */

/** @type {PrivateRabbitmq | undefined} */
let broker;
const actions = {
  open: async () => void (broker = await startPrivateRabbitmq({ directory: process.argv[2] })),
  kill: async () => broker?.kill(),
  start: async () => broker?.start(),
  stop: async () => broker?.stop(),
};

/** @param {{ readonly id: number, readonly action: keyof typeof actions }} message */
const answer = async ({ id, action }) => {
  try {
    await actions[action]();
    process.send?.({ id, url: broker?.url });
  } catch (error) {
    process.send?.({ id, error: messageOf(error) });
  }
};
process.on('message', (message) => void answer(/** @type {Parameters<typeof answer>[0]} */ (message)));
// The test has ended without stopping the broker.
process.on('disconnect', () => void broker?.stop().finally(() => process.exit()));
