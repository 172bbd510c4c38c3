// `npm run build`: installs packages where they are missing, on the pinned Node, and bundles all applications.
import './workspace/require-node-version.mjs';
import './workspace/print-uncaught-errors.mjs';
import { readCommandLine } from '../libs/service/src/options/command-line.cjs';
import { buildWorkspace } from './workspace/prepare-workspace.mjs';

readCommandLine({ usage: 'npm run build\n  --help', options: {} });
buildWorkspace();
