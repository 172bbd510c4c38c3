import type { Component } from '../component/component';
import type { FlowNode } from '../document/flow-document';

/** A node with the component that runs it. */
export interface ComponentNode {
  readonly node: FlowNode;
  readonly component: Component | null;
}
