import type { Component, ComponentRegistry } from '../component/component';
import { documentBounds } from '../document/document-bounds';
import type { FlowDocument, FlowNode } from '../document/flow-document';
import { idPrefix } from '../document/read-node';
import { compileEdges } from './compile-edges';
import type { ComponentNode } from './compile-edges';
import { compileSettings } from './compile-settings';
import { heardEdges } from './heard-edges';
import { extensionClass, findComponent, whyMissing } from './find-component';
import { isKnownCode } from './known-code';
import type { FlowProblem, Plan, PlanEdge, PlanVertex, RunScope } from './plan';
import { isLoop } from './repeated-part';
import { runScope } from './run-scope';
import { vertexUpgrades } from './vertex-upgrades';

const inputTypes: ReadonlySet<string> = new Set(['ChatInput', 'TextInput', 'Webhook']);
const outputTypes: ReadonlySet<string> = new Set(['ChatOutput', 'TextOutput', 'DataOutput']);

/** Which flow version is compiled, and with which components. */
export interface CompileOptions {
  readonly flowId: string;
  readonly version: number;
  readonly registry: ComponentRegistry;
}

/**
 * Compiles a flow document into a plan that any number of runs may share. Never throws: what cannot run becomes a
 * problem, and refuses only the runs that would reach it.
 */
export function compile(document: FlowDocument, { flowId, version, registry }: CompileOptions): Plan {
  const problems: FlowProblem[] = [...document.problems];
  const nodes = document.nodes.map((node) => ({ node, component: findComponent(registry, node.type) }));
  const drawn = compileEdges(nodes, document.edges, problems);
  const edges = [...drawn, ...heardEdges(nodes, drawn)];
  const incoming = groupByVertex(edges, (edge) => edge.target);
  const outgoing = groupByVertex(edges, (edge) => edge.source);
  const tooMany = new Set(nodes.filter(({ component }) => isLoop(component)).slice(documentBounds.loops));
  const vertices = nodes.map((node, index) =>
    compileVertex(node, index, {
      incoming: incoming.get(index) ?? [],
      outgoing: outgoing.get(index) ?? [],
      problem: findProblem(node, tooMany.has(node), registry),
      upgrades: vertexUpgrades(node, document.edges, outgoing.get(index) ?? []),
    }),
  );
  for (const vertex of vertices) if (vertex.problem !== null) problems.push(vertex.problem);
  const scope = runScope(vertices);
  const refusals = scopeProblems(scope, vertices);
  return { flowId, version, vertices, problems, scope, refusals };
}

/** Problems of the vertices that run, inside of loops too. */
function scopeProblems(scope: RunScope, vertices: readonly PlanVertex[]): readonly FlowProblem[] {
  const own = scope.vertices.map((index) => vertices[index]?.problem ?? null);
  const inside = [...scope.bodies.values()].flatMap((body) => scopeProblems(body.scope, vertices));
  return [...own, ...inside].filter((problem) => problem !== null);
}

function groupByVertex(
  edges: readonly PlanEdge[],
  vertexOf: (edge: PlanEdge) => number,
): ReadonlyMap<number, readonly PlanEdge[]> {
  const groups = new Map<number, PlanEdge[]>();
  for (const edge of edges) {
    const group = groups.get(vertexOf(edge));
    if (group === undefined) groups.set(vertexOf(edge), [edge]);
    else group.push(edge);
  }
  return groups;
}

function compileVertex(
  { node, component }: ComponentNode,
  index: number,
  {
    incoming,
    outgoing,
    problem,
    upgrades,
  }: Pick<PlanVertex, 'incoming' | 'outgoing' | 'problem' | 'upgrades'>,
): PlanVertex {
  const runnable = problem === null ? component : null;
  const outputs = node.outputs.length > 0 ? node.outputs : Object.keys(component?.outputs ?? {});
  return {
    index,
    id: node.id,
    type: node.type,
    displayName: node.displayName,
    isInput: node.saysInput || hasRole(node, inputTypes),
    isOutput: node.saysOutput || hasRole(node, outputTypes),
    toolMode: node.toolMode,
    frozen: node.frozen,
    component: runnable,
    problem,
    upgrades,
    codeHash: node.code.hash,
    replacesCode: runnable !== null && hasEditedCode(node, runnable),
    fields: node.fields,
    outputs,
    incoming,
    outgoing,
    wanted: wantedOutputs(outputs, outgoing, { node, component: runnable }),
    ...compileSettings(runnable, node.fields, incoming),
  };
}

/** The wired outputs in declared order, or all of them when none is wired. */
function wantedOutputs(
  outputs: readonly string[],
  outgoing: readonly PlanEdge[],
  { component }: ComponentNode,
): readonly string[] {
  const wired = new Set(outgoing.map((edge) => edge.sourceOutput));
  if (wired.size > 0) return [...new Set([...outputs.filter((output) => wired.has(output)), ...wired])];
  const made = Object.keys(component?.outputs ?? {});
  const both = outputs.filter((output) => made.includes(output));
  return both.length > 0 ? both : outputs.length > 0 && made.length !== 1 ? outputs : made;
}

/** Langflow decides by the type and by the id's prefix. */
function hasRole(node: FlowNode, types: ReadonlySet<string>): boolean {
  return types.has(extensionClass(node.type) ?? node.type) || types.has(idPrefix(node.id));
}

function findProblem(
  { node, component }: ComponentNode,
  isOneLoopTooMany: boolean,
  registry: ComponentRegistry,
): FlowProblem | null {
  const who = `"${node.displayName}" (${node.type})`;
  const about = { blocks: true, vertexId: node.id, componentType: node.type } as const;
  if (!node.hasTemplate) {
    return { ...about, code: 'invalid_node', message: `${who}: the node has no template.` };
  }
  if (component === null) {
    const message = `${who}: ${whyMissing(registry, node.type)}`;
    return { ...about, code: 'unknown_component', message };
  }
  if (isOneLoopTooMany) {
    const message = `${who}: a flow may have at most ${documentBounds.loops} loops.`;
    return { ...about, code: 'too_large', message };
  }
  if (hasEditedCode(node, component) && node.code.acceptedHash !== node.code.hash) {
    const message = `${who}: the node carries edited code, which is not run. Its owner may accept the stock component in its place.`;
    return { ...about, code: 'edited_code', message };
  }
  return null;
}

/** True when the node's source is none that was published for the component. */
function hasEditedCode({ type, code }: FlowNode, component: Component): boolean {
  return !isKnownCode(
    [type, extensionClass(type) ?? type, component.type, ...(component.aliases ?? [])],
    code,
  );
}
