import { isRecord } from '../../http/bodies/parse-json';
import type { ExportedFlow } from './export-flows';
import { withSplitCode } from '../../flow-changes/joined-code';
import { withoutSecrets } from './without-secrets';

/** Members of a flow that have a meaning in this system only, or that exports of Langflow leave out. */
const LOCAL_MEMBERS = new Set([
  'user_id',
  'folder_id',
  'version',
  'settings',
  'updated_at',
  'access_type',
  'gradient',
]);
/** What the editor notes at a node while it is open. */
const EDITOR_MEMBERS = new Set(['selected', 'dragging', 'positionAbsolute']);

/**
 * Returns the export of a flow's view: what another system needs to import it, without secrets. As in Langflow, code is a list
 * of its lines, so that a comparison of two exports shows lines.
 */
export function exportedFlow(flow: Readonly<Record<string, unknown>>): ExportedFlow {
  return {
    ...without(flow, LOCAL_MEMBERS),
    data: withSplitCode(withoutEditorState(withoutSecrets(flow['data']))),
  };
}

function withoutEditorState(document: unknown): unknown {
  if (!isRecord(document) || !Array.isArray(document['nodes'])) return document;
  const nodes = document['nodes'].map((node) => (isRecord(node) ? without(node, EDITOR_MEMBERS) : node));
  return { ...document, nodes };
}

function without(value: Readonly<Record<string, unknown>>, names: ReadonlySet<string>) {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.has(name)));
}
