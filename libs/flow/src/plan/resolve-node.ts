import type { Component, ComponentRegistry } from '../component/component';
import type { EditedCodeRule, FlowNode } from '../document/flow-document';
import { pythonComponent } from './python-component';
import { noPython } from '../python/python-policy';
import type { PythonVertex } from '../python/python-source';
import { pythonVertex } from './python-vertex';
import { codeOrigin } from '../code/code-origin';
import type { CodeOrigin } from '../code/code-origin';
import { defaultCodePolicy } from '../code/code-policy';
import type { ComponentNode } from './component-node';
import { bundledClass, findComponent } from './find-component';

/** A node with what computes it: a native component, or one that runs in Python. */
export interface ResolvedNode extends ComponentNode {
  readonly origin: CodeOrigin;
  /** The native component of the node's type must not run in place of its edited code. */
  readonly isRefusedEdit: boolean;
  readonly python: PythonVertex | null;
}

/** Finds what computes a node. `rule` applies to a node with edited code whose type is native. */
export function resolveNode(node: FlowNode, registry: ComponentRegistry, rule: EditedCodeRule): ResolvedNode {
  const native = findComponent(registry, node.type);
  const { known } = registry.codePolicy ?? defaultCodePolicy;
  const types = publishedNames(node, native);
  // For a type without a component, a hash is enough to distinguish Langflow's types from the author's own.
  const code = native === null ? { ...node.code, hasText: true } : node.code;
  const origin = codeOrigin(types, code, known);
  const isAccepted = rule === 'stock' || node.code.acceptedHash === node.code.hash;
  const isRefusedEdit = native !== null && origin === 'edited' && !isAccepted;
  const resolved = { node, component: native, origin, isRefusedEdit, python: null };
  if (!node.hasTemplate || (native !== null && !isRefusedEdit)) return resolved;
  const typeOrigin = { isStock: origin !== 'edited', isPublishedType: known.hasType(types) };
  const python = pythonVertex(node, typeOrigin, registry.python ?? noPython);
  const isReady = python?.state === 'ready' && python.source !== null;
  return { ...resolved, python, component: isReady ? pythonComponent(node, python.source) : native };
}

/** Returns every name under which the text of a node can have been published. */
function publishedNames({ type }: FlowNode, component: Component | null): readonly string[] {
  const className = bundledClass(type);
  const names = component === null ? [] : [component.type, ...(component.aliases ?? [])];
  return [type, ...(className === null ? [] : [className]), ...names];
}
