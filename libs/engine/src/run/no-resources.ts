import { ComponentError } from '@millrace/flow';
import type { RunResources } from '@millrace/flow';

/** For runs without resources: a component that requests one fails with an error that names it. */
export const noResources: RunResources = {
  get files() {
    return refuse('files');
  },
  get vectors() {
    return refuse('local vectors');
  },
  get scripts() {
    return refuse('scripts');
  },
  get flows() {
    return refuse('other flows');
  },
  get mcpServers() {
    return refuse('stored MCP servers');
  },
  get python() {
    return refuse('Python');
  },
  dial: () => refuse('connections'),
  isAllowed: () => false,
};

function refuse(what: string): never {
  throw new ComponentError(`This run has no ${what}.`);
}
