import { InvalidFlowError } from '../errors';
import type { FlowProblem } from './flow-problem';
import { checkCounts, checkDepth } from './document-bounds';
import { flattenGroups } from './flatten-groups';
import type { EditedCodeRule, FlowDocument, FlowEdge, FlowNode } from './flow-document';
import type { JsonObject } from './json-object';
import { isJsonObject, member, textMember } from './json-object';
import { unknownMembers } from './known-members';
import { readEdge } from './read-edge';
import { readNode } from './read-node';

/**
 * Parses a Langflow export: the wrapped form `{ data: { nodes, edges } }` or the bare form `{ nodes, edges }`. Ignores
 * notes, flattens groups, and drops edges to missing nodes, which it reports in `problems`. Throws an InvalidFlowError
 * when the document is not a flow or exceeds the limits of a plan.
 */
export function parseFlowDocument(json: unknown): FlowDocument {
  const graph = findGraph(json);
  checkDepth(graph);
  const { nodes: rawNodes, edges: rawEdges } = flattenGroups(graph);
  checkCounts(rawNodes.length, rawEdges.length);
  const problems: FlowProblem[] = graph.unknownMembers.map(unknownMember);
  const nodes = readNodes(rawNodes, problems);
  const edges = readEdges(rawEdges, new Set(nodes.map((node) => node.id)), problems);
  return { nodes, edges, problems, editedCode: graph.editedCode };
}

/** The member of a flow's `data` that contains its owner's {@link EditedCodeRule}. */
export const editedCodeMember = 'edited_code';

interface Graph {
  readonly nodes: readonly JsonObject[];
  readonly edges: readonly JsonObject[];
  readonly editedCode: EditedCodeRule | null;
  readonly unknownMembers: readonly string[];
}

function findGraph(json: unknown): Graph {
  if (!isJsonObject(json)) throw new InvalidFlowError('A flow must be a JSON object.');
  const data = member(json, 'data');
  const graph = isJsonObject(data) ? data : json;
  const nodes = member(graph, 'nodes');
  const edges = member(graph, 'edges') ?? [];
  if (!Array.isArray(nodes)) throw new InvalidFlowError('The flow has no list of nodes.');
  if (!Array.isArray(edges)) throw new InvalidFlowError('The edges of the flow are not a list.');
  checkCounts(nodes.length, edges.length);
  const rule = member(graph, editedCodeMember);
  return {
    nodes: nodes.filter(isJsonObject),
    edges: edges.filter(isJsonObject),
    editedCode: rule === 'stock' || rule === 'refuse' ? rule : null,
    unknownMembers: graph === json ? [] : unknownMembers('graph', graph),
  };
}

function readNodes(rawNodes: readonly JsonObject[], problems: FlowProblem[]): readonly FlowNode[] {
  const nodes = new Map<string, FlowNode>();
  for (const raw of rawNodes) {
    if (textMember(raw, 'type') === 'noteNode') continue;
    const id = textMember(raw, 'id');
    if (id === '') {
      problems.push(nodeProblem(id, 'A node without an id is ignored.'));
    } else if (nodes.has(id)) {
      problems.push(nodeProblem(id, `Two nodes have the id "${id}"; the second is ignored.`));
    } else {
      nodes.set(id, readNode(raw));
    }
  }
  return [...nodes.values()];
}

function nodeProblem(id: string, message: string): FlowProblem {
  return { code: 'invalid_node', blocks: false, vertexId: id || null, componentType: null, message };
}

function unknownMember(name: string): FlowProblem {
  const message = `This release does not know and does not apply the member "${name}" of the flow's data.`;
  return { code: 'unknown_member', blocks: false, vertexId: null, componentType: null, message };
}

function readEdges(
  rawEdges: readonly JsonObject[],
  nodeIds: ReadonlySet<string>,
  problems: FlowProblem[],
): readonly FlowEdge[] {
  const edges: FlowEdge[] = [];
  for (const raw of rawEdges) {
    const edge = readEdge(raw);
    const missing = [edge.sourceId, edge.targetId].find((id) => !nodeIds.has(id));
    if (missing === undefined) {
      edges.push(edge);
    } else {
      problems.push({
        code: 'dangling_edge',
        blocks: false,
        vertexId: missing || null,
        componentType: null,
        message: `An edge from "${edge.sourceId}" to "${edge.targetId}" is ignored: there is no node "${missing}".`,
      });
    }
  }
  return edges;
}
