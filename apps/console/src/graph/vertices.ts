import type { FlowDocument, FlowNode } from '../api/answers';

/** What is known of a vertex: a state, which gives its colour, and a short text such as its time. */
export interface Mark {
  readonly tone: string;
  readonly state: string;
  readonly text?: string;
}

/** Vertices of a document without its notes. */
export const verticesOf = (document: FlowDocument): readonly FlowNode[] =>
  document.nodes.filter(({ type, data }) => type !== 'noteNode' && data.type !== 'note');

export const titleOf = ({ id, data }: FlowNode): string => data.node?.display_name ?? data.type ?? id;

/** Vertices in the order of the flow: each after those that it needs; a cycle begins with its first vertex. */
export function inOrder(document: FlowDocument): readonly FlowNode[] {
  const waiting = new Map(verticesOf(document).map((node) => [node.id, node]));
  const needed = new Map([...waiting.keys()].map((id) => [id, new Set<string>()]));
  const users = new Map<string, string[]>();
  for (const { source, target } of document.edges)
    if (waiting.has(source) && source !== target && needed.get(target)?.add(source) !== undefined)
      users.set(source, [...(users.get(source) ?? []), target]);
  const ordered: FlowNode[] = [];
  let ready = [...waiting.keys()].filter((id) => needed.get(id)?.size === 0);
  while (waiting.size > 0) {
    // Only cycles are left when nothing is ready.
    const [id = ''] = ready.length > 0 ? ready : waiting.keys();
    ready = ready.slice(1);
    const node = waiting.get(id);
    if (node === undefined) continue;
    waiting.delete(id);
    ordered.push(node);
    for (const user of users.get(id) ?? []) {
      const left = needed.get(user);
      left?.delete(id);
      if (left?.size === 0) ready.push(user);
    }
  }
  return ordered;
}
