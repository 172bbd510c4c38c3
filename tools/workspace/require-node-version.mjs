// The first import of a command: where Node is older than package.json requires, the command runs on the pinned Node.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
if (!require('../node/pinned-node.cjs').isNodeNewEnough()) {
  require('../node/continue-on-pinned-node.cjs').continueOnPinnedNode(process.argv.slice(1));
  // Never resolves, so that the imports after this one are not executed in this process.
  await new Promise(() => {});
}
