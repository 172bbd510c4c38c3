import type { ComponentRegistry } from '../component/component';
import { documentBounds } from '../document/document-bounds';
import type { EditedCodeRule, FlowDocument, FlowNode } from '../document/flow-document';
import { idPrefix } from '../document/read-node';
import { compileEdges } from './compile-edges';
import type { ComponentNode } from './component-node';
import { compileSettings } from './compile-settings';
import { findImplicitEdges } from './implicit-edges';
import { extensionClass, findComponent, missingReason } from './find-component';
import { codeOrigin } from './code-origin';
import type { CodeOrigin } from './code-origin';
import { defaultCodePolicy } from './code-policy';
import type { KnownCode } from './known-code';
import { findMissingParts } from './missing-parts';
import type { Plan, PlanEdge, PlanVertex, RunScope } from './plan';
import type { FlowProblem } from '../document/flow-problem';
import { isLoop } from './repeated-part';
import { runScope } from './run-scope';
import { vertexUpgrades } from './vertex-upgrades';

const inputTypes: ReadonlySet<string> = new Set(['ChatInput', 'TextInput', 'Webhook']);
const outputTypes: ReadonlySet<string> = new Set(['ChatOutput', 'TextOutput', 'DataOutput']);

/** The flow version to compile, and the components for it. */
export interface CompileOptions {
  readonly flowId: string;
  readonly version: number;
  readonly registry: ComponentRegistry;
}

/**
 * Compiles a flow document into a plan that any number of runs can share. Never throws: a vertex that cannot run
 * becomes a problem, and only runs that would reach it are refused.
 */
export function compile(document: FlowDocument, { flowId, version, registry }: CompileOptions): Plan {
  const codePolicy = registry.codePolicy ?? defaultCodePolicy;
  const problems: FlowProblem[] = [...document.problems];
  const nodes = document.nodes.map((node) => ({ node, component: findComponent(registry, node.type) }));
  const explicitEdges = compileEdges(nodes, document.edges, problems);
  const edges = [...explicitEdges, ...findImplicitEdges(nodes, explicitEdges)];
  const incoming = groupByVertex(edges, (edge) => edge.target);
  const outgoing = groupByVertex(edges, (edge) => edge.source);
  const loopsBeyondLimit = new Set(
    nodes.filter(({ component }) => isLoop(component)).slice(documentBounds.loops),
  );
  const rule = document.editedCode ?? codePolicy.editedCode;
  const vertices = nodes.map((node, index) => {
    const origin = originOf(node, codePolicy.known);
    return compileVertex(node, index, {
      incoming: incoming.get(index) ?? [],
      outgoing: outgoing.get(index) ?? [],
      problem: findProblem(node, { exceedsLoopLimit: loopsBeyondLimit.has(node), registry, origin, rule }),
      upgrades: vertexUpgrades(node, document.edges, outgoing.get(index) ?? []),
      origin,
    });
  });
  for (const vertex of vertices) if (vertex.problem !== null) problems.push(vertex.problem);
  const scope = runScope(vertices);
  const refusals = scopeProblems(scope, vertices);
  return { flowId, version, vertices, problems, scope, refusals };
}

/** Returns problems of the vertices that run, including the bodies of loops. */
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
    isInput: node.declaresInput || hasRole(node, inputTypes),
    isOutput: node.declaresOutput || hasRole(node, outputTypes),
    toolMode: node.toolMode,
    frozen: node.frozen,
    component: runnable,
    problem,
    upgrades,
    codeHash: node.code.hash,
    codeOrigin: origin,
    replacesCode: runnable !== null && origin === 'edited',
    unlistedVersion: isUnlisted
      ? { savedBy: node.code.savedBy, missing: findMissingParts(node, runnable, connectedFields(incoming)) }
      : null,
    fields: node.fields,
    outputs,
    incoming,
    outgoing,
    wanted: wantedOutputs(outputs, outgoing, { node, component: runnable }),
    ...compileSettings(runnable, node.fields, incoming),
  };
}

/** Returns the connected outputs in declared order; all outputs when none is connected. */
function wantedOutputs(
  outputs: readonly string[],
  outgoing: readonly PlanEdge[],
  { component }: ComponentNode,
): readonly string[] {
  const connected = new Set(outgoing.map((edge) => edge.sourceOutput));
  if (connected.size > 0)
    return [...new Set([...outputs.filter((output) => connected.has(output)), ...connected])];
  const declared = Object.keys(component?.outputs ?? {});
  const both = outputs.filter((output) => declared.includes(output));
  return both.length > 0 ? both : outputs.length > 0 && declared.length !== 1 ? outputs : declared;
}

/** As in Langflow, the role follows from the type and from the prefix of the id. */
function hasRole(node: FlowNode, types: ReadonlySet<string>): boolean {
  return types.has(extensionClass(node.type) ?? node.type) || types.has(idPrefix(node.id));
}

function connectedFields(incoming: readonly PlanEdge[]): ReadonlySet<string> {
  return new Set(incoming.map((edge) => edge.targetField));
}

interface ProblemContext {
  readonly exceedsLoopLimit: boolean;
  readonly registry: ComponentRegistry;
  readonly origin: CodeOrigin;
  readonly rule: EditedCodeRule;
}

function findProblem(
  { node, component }: ComponentNode,
  { exceedsLoopLimit, registry, origin, rule }: ProblemContext,
): FlowProblem | null {
  const label = `"${node.displayName}" (${node.type})`;
  const location = { blocks: true, vertexId: node.id, componentType: node.type } as const;
  if (!node.hasTemplate) {
    return { ...location, code: 'invalid_node', message: `${label}: the node has no template.` };
  }
  if (component === null) {
    const message = `${label}: ${missingReason(registry, node.type)}`;
    return { ...location, code: 'unknown_component', message };
  }
  if (exceedsLoopLimit) {
    const message = `${label}: a flow can have at most ${documentBounds.loops} loops.`;
    return { ...location, code: 'too_large', message };
  }
  if (origin === 'edited' && rule === 'refuse' && node.code.acceptedHash !== node.code.hash) {
    const message = `${label}: the node contains edited code, which is not executed. ${acceptanceRemedy}`;
    return { ...location, code: 'edited_code', message };
  }
  return null;
}

/** Explains how the owner of a flow accepts stock components in place of edited code. */
const acceptanceRemedy =
  'To run the stock component in its place, send {"vertices": "all"} to POST /api/v1/flows/{flow_id}/accepted-code, ' +
  'or set "editedCode": "stock" in the settings of the flow.';

/** Determines the origin of the node's code, by every name under which its text can have been published. */
function originOf({ node, component }: ComponentNode, known: KnownCode): CodeOrigin {
  const className = extensionClass(node.type);
  const names = component === null ? [] : [component.type, ...(component.aliases ?? [])];
  const types = [node.type, ...(className === null ? [] : [className]), ...names];
  // For a type without a component, a hash is enough to distinguish Langflow's types from the author's own.
  const code = component === null ? { ...node.code, hasText: true } : node.code;
  return codeOrigin(types, code, known);
}
