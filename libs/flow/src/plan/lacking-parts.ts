import type { Component } from '../component/component';
import { toolOutput } from '../component/component-tools';
import type { FlowNode } from '../document/flow-document';
import type { PythonValue } from '../values/python-value';

/** What a node was saved with and its component here has no place for: names, in the node's order. */
export interface LackingParts {
  /** Fields that hold a value or end a wire. */
  readonly fields: readonly string[];
  readonly outputs: readonly string[];
}

/**
 * Compares a node with the component that runs in its place. `wired` are the names of fields that wires end at. Fields
 * without a value change nothing and are left out.
 */
export function lackingParts(node: FlowNode, component: Component, wired: ReadonlySet<string>): LackingParts {
  const fields = [...node.fields.values()].filter(
    ({ name, type, value }) =>
      type !== 'code' &&
      !Object.hasOwn(component.inputs, name) &&
      !node.customFields.has(name) &&
      (wired.has(name) || !isEmpty(value)),
  );
  const outputs = node.outputs.filter(
    (output) => output !== toolOutput && !Object.hasOwn(component.outputs, output),
  );
  // A single output is found under any name.
  const isClear = Object.keys(component.outputs).length === 1 && node.outputs.length === 1;
  return { fields: fields.map(({ name }) => name), outputs: isClear ? [] : outputs };
}

function isEmpty(value: PythonValue): boolean {
  if (value === null || value === '' || value === false) return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype
    ? Object.keys(value).length === 0
    : false;
}
