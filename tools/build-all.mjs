// `npm run build`: installs packages where they are missing, on the pinned Node, and bundles all applications; with `--site` also the
// guide.
import './workspace/require-node-version.mjs';
import './workspace/print-uncaught-errors.mjs';
import { readCommandLine } from '../libs/service/src/options/command-line.cjs';
import { buildSite } from './site/prepare-site.mjs';
import { installIfNeeded } from './workspace/install-if-needed.mjs';
import { buildWorkspace } from './workspace/prepare-workspace.mjs';

const { values } = readCommandLine({
  usage: `npm run build
  --site  also builds the guide, which the gateway serves at /guide, with the packages of development
  --help`,
  options: { site: { type: 'boolean' } },
});
if (values.site === true) installIfNeeded();
buildWorkspace();
if (values.site === true) buildSite();
