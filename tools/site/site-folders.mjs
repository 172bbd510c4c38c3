import { join } from 'node:path';
import { workspaceRoot } from '../workspace/workspace-root.mjs';

/** The built guide, which the gateway serves. */
export const OUTPUT = join(workspaceRoot, 'dist', 'apps', 'guide');
/** The Markdown of all pages, in the folders of the guide. */
export const STAGE = join(workspaceRoot, 'dist', 'guide-pages');
/** The styles of highlighted code, before they have an address. */
export const CODE_STYLES = join(STAGE, 'code.css');
/** The pages of the API reference, as the sidebar lists them. */
export const OPERATIONS = join(STAGE, 'operations.json');
