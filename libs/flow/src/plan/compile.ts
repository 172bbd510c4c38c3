import type { ComponentRegistry } from '../component/component';
import { documentBounds } from '../document/document-bounds';
import type { EditedCodeRule, FlowDocument, FlowNode } from '../document/flow-document';
import { idPrefix } from '../document/read-node';
import { compileEdges } from './compile-edges';
import type { ComponentNode } from './compile-edges';
import { compileSettings } from './compile-settings';
import { heardEdges } from './heard-edges';
import { extensionClass, findComponent, whyMissing } from './find-component';
import { codeOrigin } from './code-origin';
import type { CodeOrigin } from './code-origin';
import { defaultCodePolicy } from './code-policy';
import type { KnownCode } from './known-code';
import { lackingParts } from './lacking-parts';
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
  const codePolicy = registry.codePolicy ?? defaultCodePolicy;
  const problems: FlowProblem[] = [...document.problems];
  const nodes = document.nodes.map((node) => ({ node, component: findComponent(registry, node.type) }));
  const drawn = compileEdges(nodes, document.edges, problems);
  const edges = [...drawn, ...heardEdges(nodes, drawn)];
  const incoming = groupByVertex(edges, (edge) => edge.target);
  const outgoing = groupByVertex(edges, (edge) => edge.source);
  const tooMany = new Set(nodes.filter(({ component }) => isLoop(component)).slice(documentBounds.loops));
  const rule = document.editedCode ?? codePolicy.editedCode;
  const vertices = nodes.map((node, index) => {
    const origin = originOf(node, codePolicy.known);
    return compileVertex(node, index, {
      incoming: incoming.get(index) ?? [],
      outgoing: outgoing.get(index) ?? [],
      problem: findProblem(node, { isOneLoopTooMany: tooMany.has(node), registry, origin, rule }),
      upgrades: vertexUpgrades(node, document.edges, outgoing.get(index) ?? []),
      origin,
    });
  });
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
    origin,
  }: Pick<PlanVertex, 'incoming' | 'outgoing' | 'problem' | 'upgrades'> & { readonly origin: CodeOrigin },
): PlanVertex {
  const runnable = problem === null ? component : null;
  const isUnlisted = runnable !== null && origin === 'unlisted';
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
    codeOrigin: origin,
    replacesCode: runnable !== null && origin === 'edited',
    unlistedVersion: isUnlisted
      ? { savedBy: node.code.savedBy, lacking: lackingParts(node, runnable, wiredFields(incoming)) }
      : null,
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

function wiredFields(incoming: readonly PlanEdge[]): ReadonlySet<string> {
  return new Set(incoming.map((edge) => edge.targetField));
}

interface Judgement {
  readonly isOneLoopTooMany: boolean;
  readonly registry: ComponentRegistry;
  readonly origin: CodeOrigin;
  readonly rule: EditedCodeRule;
}

function findProblem(
  { node, component }: ComponentNode,
  { isOneLoopTooMany, registry, origin, rule }: Judgement,
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
  if (origin === 'edited' && rule === 'refuse' && node.code.acceptedHash !== node.code.hash) {
    const message = `${who}: the node carries edited code, which is not run. ${acceptanceRemedy}`;
    return { ...about, code: 'edited_code', message };
  }
  return null;
}

/** How the owner of a flow lets stock components run in place of edited code. */
const acceptanceRemedy =
  'To run the stock component in its place, send {"vertices": "all"} to POST /api/v1/flows/{flow_id}/accepted-code, ' +
  'or set "editedCode": "stock" in the settings of the flow.';

/** Where the node's code comes from, judged by every name under which a text for it may have been published. */
function originOf({ node, component }: ComponentNode, known: KnownCode): CodeOrigin {
  const className = extensionClass(node.type);
  const names = component === null ? [] : [component.type, ...(component.aliases ?? [])];
  const types = [node.type, ...(className === null ? [] : [className]), ...names];
  // A hash alone tells whether a type that there is no component for is Langflow's or its author's.
  const code = component === null ? { ...node.code, isCarried: true } : node.code;
  return codeOrigin(types, code, known);
}
