import type { ExportMembers } from './export-members';

/** A text of Langflow's component code, and the type of the nodes that have it. */
export interface ComponentSource {
  readonly type: string;
  readonly text: string;
}

/** What an installed or running Langflow saves in flows. */
export interface LangflowCode {
  readonly sources: readonly ComponentSource[];
  readonly members: ExportMembers;
}
