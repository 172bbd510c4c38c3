// The first import of a command: where Node is older than package.json demands, the command goes on with the pinned one.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
if (!require('./node/pinned-node.cjs').isNodeNewEnough()) {
  require('./node/continue-on-pinned-node.cjs').continueOnPinnedNode(process.argv.slice(1));
  // What is imported after this must not begin here.
  await new Promise(() => {});
}
