import { Suspense, lazy, useCallback, useState } from 'react';
import type { ReactNode } from 'react';
import { Modal } from '../ui/dialog';
import { Busy, Button } from '../ui/parts';
import { useMedia } from '../ui/use-media';
import type { FlowGraphProps } from './flow-graph';
import { inOrder, titleOf, verticesOf } from './vertices';

const FlowGraph = lazy(() => import('./flow-graph'));
/** More vertices get a higher frame. */
const MANY_VERTICES = 8;

export interface GraphFrameProps extends Omit<FlowGraphProps, 'onExpand'> {
  /** What the page shows of the selected vertex, beside the frame or in the list. */
  readonly panel?: ReactNode;
  readonly isTall?: boolean;
}

/** The graph, on demand on the whole page; on a narrow screen a list of its vertices. Its code is loaded when it is shown. */
export function GraphFrame({ panel, isTall = false, ...graph }: GraphFrameProps) {
  const isNarrow = useMedia('(max-width: 700px)');
  const [isWhole, setWhole] = useState(false);
  if (isNarrow) return <VertexList {...graph} panel={panel} />;
  const size = isTall ? 'tall' : verticesOf(graph.document).length > MANY_VERTICES ? 'high' : '';
  return (
    <div className={`graph-frame ${size}`}>
      <Suspense fallback={<Busy what="Drawing the graph" />}>
        <FlowGraph {...graph} onExpand={() => setWhole(true)} />
        {isWhole && (
          <Modal title="Graph" className="dialog graph-page" onClose={() => setWhole(false)}>
            <Button size="small" onClick={() => setWhole(false)}>
              Close
            </Button>
            <FlowGraph {...graph} />
            {panel}
          </Modal>
        )}
      </Suspense>
    </div>
  );
}

function VertexList({ document, marks, selected, onSelect, panel }: GraphFrameProps) {
  const show = useCallback((item: HTMLLIElement | null) => item?.scrollIntoView({ block: 'nearest' }), []);
  return (
    <ol className="vertex-list">
      {inOrder(document).map((vertex) => {
        const { id, data } = vertex;
        const mark = marks.get(id);
        return (
          <li key={id} ref={id === selected ? show : null}>
            <button
              type="button"
              className={`vertex ${mark?.tone ?? ''} ${id === selected ? 'chosen' : ''}`}
              aria-pressed={id === selected}
              onClick={() => onSelect(id === selected ? undefined : id)}
            >
              <span className="vertex-title" dir="auto">
                {titleOf(vertex)}
              </span>
              <span className="vertex-foot">
                <span className="cut">
                  {mark === undefined ? data.type : mark.state.replaceAll('_', ' ')}
                </span>
                {mark?.text !== undefined && <span className="vertex-text">{mark.text}</span>}
              </span>
            </button>
            {id === selected && panel}
          </li>
        );
      })}
    </ol>
  );
}
