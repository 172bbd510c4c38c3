import { Suspense, lazy } from 'react';
import { Busy } from '../ui/parts';
import type { FlowGraphProps } from './flow-graph';

const FlowGraph = lazy(() => import('./flow-graph'));

/** The graph, whose code is loaded when a page first shows one. */
export function LazyGraph(props: FlowGraphProps) {
  return (
    <Suspense fallback={<Busy what="Drawing the graph" />}>
      <FlowGraph {...props} />
    </Suspense>
  );
}
