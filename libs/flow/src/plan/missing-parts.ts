import type { PythonValue } from '@millrace/python-text';
import type { Component } from '../component/component';
import { toolOutput } from '../component/component-tools';
import type { FlowNode } from '../document/flow-document';

/** Names of the fields and outputs of a saved node that its component here does not have, in the node's order. */
export interface MissingParts {
  /** Fields that have a value or an edge. */
  readonly fields: readonly string[];
  readonly outputs: readonly string[];
}

/**
 * Compares a node with the component that runs in its place. `connected` contains the names of the fields with an edge.
 * Fields without a value have no effect and are omitted.
 */
export function findMissingParts(
  node: FlowNode,
  component: Component,
  connected: ReadonlySet<string>,
): MissingParts {
  const fields = [...node.fields.values()].filter(
    ({ name, type, value }) =>
      type !== 'code' &&
      !Object.hasOwn(component.inputs, name) &&
      !node.customFields.has(name) &&
      (connected.has(name) || !isEmpty(value)),
  );
  const outputs = node.outputs.filter(
    (output) => output !== toolOutput && !Object.hasOwn(component.outputs, output),
  );
  // A single output is found under any name.
  const isUnambiguous = Object.keys(component.outputs).length === 1 && node.outputs.length === 1;
  return { fields: fields.map(({ name }) => name), outputs: isUnambiguous ? [] : outputs };
}

function isEmpty(value: PythonValue): boolean {
  if (value === null || value === '' || value === false) return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype
    ? Object.keys(value).length === 0
    : false;
}
