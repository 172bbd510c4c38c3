// A broker for one test, started by `own-broker.fixture.ts` in a separate process: `node own-broker.mjs <directory>`.
// Each message { id, action } is answered with { id, url } or { id, error }.
import { startPrivateRabbitmq } from '../../../../tools/services/private-rabbitmq.mjs';

let broker;
const actions = {
  open: async () => void (broker = await startPrivateRabbitmq({ directory: process.argv[2] })),
  kill: () => broker.kill(),
  start: () => broker.start(),
  stop: () => broker.stop(),
};

process.on('message', ({ id, action }) => {
  actions[action]().then(
    () => process.send({ id, url: broker.url }),
    (error) => process.send({ id, error: error.message }),
  );
});
// The test has ended without stopping the broker.
process.on('disconnect', () => void broker?.stop().finally(() => process.exit()));
