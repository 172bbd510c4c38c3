import type { Component, ComponentRegistry } from '../component/component';
import { documentBounds } from '../document/document-bounds';
import type { FlowDocument, FlowNode } from '../document/flow-document';
import { textListMember } from '../document/json-object';
import { idPrefix } from '../document/read-node';
import { RESPOND_TYPE } from '../run/flow-answer';
import { compileEdges } from './compile-edges';
import { compileSettings } from './compile-settings';
import { findImplicitEdges } from './implicit-edges';
import { extensionOf } from './find-component';
import { defaultCodePolicy } from '../code/code-policy';
import { findMissingEnds } from './missing-ends';
import { findMissingParts } from './missing-parts';
import type { CalledFlow, Plan, PlanEdge, PlanVertex } from './plan';
import { reachedVertices } from './reached-vertices';
import type { FlowProblem } from '../document/flow-problem';
import { isLoop } from './repeated-part';
import { resolveNode } from './resolve-node';
import type { ResolvedNode } from './resolve-node';
import { runScope } from './run-scope';
import { toolOutput } from '../component/component-tools';
import { toolTableField, wantsApprovals } from './tool-table-problem';
import { vertexProblem } from './vertex-problem';
import { vertexUpgrades } from './vertex-upgrades';

const inputTypes: ReadonlySet<string> = new Set(['ChatInput', 'TextInput', 'Webhook']);
const outputTypes: ReadonlySet<string> = new Set(['ChatOutput', 'TextOutput', 'DataOutput', RESPOND_TYPE]);

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
  const rule = document.editedCode ?? codePolicy.editedCode;
  const problems: FlowProblem[] = [...document.problems];
  const nodes = document.nodes.map((node) => resolveNode(node, registry, rule));
  const explicitEdges = compileEdges(nodes, document.edges, problems);
  const edges = [...explicitEdges, ...findImplicitEdges(nodes, explicitEdges)];
  const incoming = groupByVertex(edges, (edge) => edge.target);
  const outgoing = groupByVertex(edges, (edge) => edge.source);
  const loopsBeyondLimit = new Set(
    nodes.filter(({ component }) => isLoop(component)).slice(documentBounds.loops),
  );
  const vertices = nodes.map((node, index) =>
    compileVertex(node, index, {
      incoming: incoming.get(index) ?? [],
      outgoing: outgoing.get(index) ?? [],
      problem: vertexProblem(node, {
        exceedsLoopLimit: loopsBeyondLimit.has(node),
        registry,
        isApproved: isApproved(node, outgoing.get(index) ?? [], nodes),
      }),
      upgrades: vertexUpgrades(node, document.edges, outgoing.get(index) ?? []),
    }),
  );
  problems.push(...findMissingEnds(nodes, explicitEdges));
  for (const vertex of vertices) if (vertex.problem !== null) problems.push(vertex.problem);
  const scope = runScope(vertices);
  const reached = reachedVertices({ scope, vertices });
  return {
    flowId,
    version,
    vertices,
    problems,
    scope,
    refusals: reached.flatMap(({ problem }) => problem ?? []),
    needsPython: reached.some(({ python }) => python !== null),
    readsSession: vertices.some(({ component }) => component?.readsSession === true),
    asking: vertices.find(asksHuman) ?? null,
    calledFlows: vertices.flatMap(calledFlow),
  };
}

/** Whether all vertices to which a native component passes its tools ask a person before they call one. */
function isApproved(
  { component, python }: ResolvedNode,
  outgoing: readonly PlanEdge[],
  nodes: readonly ResolvedNode[],
): boolean {
  // A component that makes its tools itself does not mark them.
  if (component === null || python !== null || component.outputs[toolOutput] !== undefined) return false;
  return outgoing.every(({ target }) => {
    const caller = nodes[target];
    return caller?.component?.approvesTools === true && caller.python === null;
  });
}

function asksHuman({ component, outgoing, fields }: PlanVertex): boolean {
  if (component?.asksHuman === true) return outgoing.length > 0;
  return component !== null && wantsApprovals(fields.get(toolTableField)?.value ?? null);
}

function calledFlow({ component, fields }: PlanVertex): readonly CalledFlow[] {
  if (component?.flowFields === undefined) return [];
  const names = component.flowFields.map((name) => fields.get(name)?.value ?? null);
  return [names.filter((name): name is string => typeof name === 'string' && name !== '')];
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
  { node, component, origin, isRefusedEdit, python }: ResolvedNode,
  index: number,
  {
    incoming,
    outgoing,
    problem,
    upgrades,
  }: Pick<PlanVertex, 'incoming' | 'outgoing' | 'problem' | 'upgrades'>,
): PlanVertex {
  const runnable = problem === null ? component : null;
  const native = python === null ? runnable : null;
  const outputs = node.outputs.length > 0 ? node.outputs : Object.keys(component?.outputs ?? {});
  return {
    index,
    id: node.id,
    type: node.type,
    displayName: node.displayName,
    icon: node.icon,
    isInput: node.declaresInput || hasRole(node, inputTypes),
    isOutput: node.declaresOutput || hasRole(node, outputTypes),
    toolMode: node.toolMode,
    frozen: node.frozen,
    component: runnable,
    problem,
    upgrades,
    codeHash: node.code.hash,
    codeOrigin: origin,
    python,
    replacesCode: native !== null && origin === 'edited',
    acceptable: isRefusedEdit || (native !== null && origin === 'edited'),
    unlistedVersion:
      native !== null && origin === 'unlisted'
        ? { savedBy: node.code.savedBy, missing: findMissingParts(node, native, connectedFields(incoming)) }
        : null,
    unknownMembers: node.unknownMembers,
    fields: node.fields,
    outputs,
    firstOutputTypes: textListMember(node.savedOutputs[0] ?? {}, 'types'),
    incoming,
    outgoing,
    wanted: wantedOutputs(outputs, { incoming, outgoing }, runnable),
    ...compileSettings(runnable, node.fields, incoming),
  };
}

/**
 * Returns the connected outputs in declared order; all outputs when none is connected. As in Langflow, an output with the name of
 * one that an edge brings counts as connected, too, except for a vertex that is a tool alone: it would act before a model calls it.
 */
function wantedOutputs(
  outputs: readonly string[],
  { incoming, outgoing }: Pick<PlanVertex, 'incoming' | 'outgoing'>,
  component: Component | null,
): readonly string[] {
  const connected = new Set(outgoing.map((edge) => edge.sourceOutput));
  const isTool = connected.size === 1 && connected.has(toolOutput);
  const named = new Set([...(isTool ? [] : incoming), ...outgoing].map((edge) => edge.sourceOutput));
  if (!connected.has(toolOutput)) named.delete(toolOutput);
  if (connected.size > 0)
    return [...new Set([...outputs.filter((output) => named.has(output)), ...connected])];
  const declared = Object.keys(component?.outputs ?? {});
  const both = outputs.filter((output) => declared.includes(output));
  return both.length > 0 ? both : outputs.length > 0 && declared.length !== 1 ? outputs : declared;
}

/** As in Langflow, the role follows from the type and from the prefix of the id. */
function hasRole(node: FlowNode, types: ReadonlySet<string>): boolean {
  return types.has(extensionOf(node.type)?.className ?? node.type) || types.has(idPrefix(node.id));
}

function connectedFields(incoming: readonly PlanEdge[]): ReadonlySet<string> {
  return new Set(incoming.map((edge) => edge.targetField));
}
