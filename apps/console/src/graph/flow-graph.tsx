import {
  Background,
  ControlButton,
  Controls,
  Handle,
  MiniMap,
  Position,
  ReactFlow,
  useReactFlow,
  useStore,
} from '@xyflow/react';
import type { Edge, Node, NodeProps } from '@xyflow/react';
import { useEffect, useMemo } from 'react';
import type { FlowDocument } from '../api/answers';
import { Expand } from '../ui/icons';
import { NODE_HEIGHT, NODE_WIDTH, layoutOf } from './layout';
import type { Layout } from './layout';
import { titleOf, verticesOf } from './vertices';
import type { Mark } from './vertices';

export interface FlowGraphProps {
  readonly document: FlowDocument;
  readonly marks: ReadonlyMap<string, Mark>;
  readonly selected: string | undefined;
  readonly onSelect: (id: string | undefined) => void;
  /** Opens the graph on the whole page; without it the graph has no such button. */
  readonly onExpand?: (() => void) | undefined;
}

interface VertexData extends Record<string, unknown> {
  readonly title: string;
  readonly type: string;
  readonly mark: Mark | undefined;
}

type VertexNode = Node<VertexData, 'vertex'>;

const TYPES = { vertex: Vertex };
/** At a smaller one, the texts of 13 pixels are too small to read: then a part of the graph is shown. */
const READABLE_ZOOM = 0.77;
const MAXIMUM_ZOOM = 1.05;
const MARGIN = 24;
/** A graph with fewer vertices needs no map. */
const MAPPED_VERTICES = 10;

export default function FlowGraph({ document, marks, selected, onSelect, onExpand }: FlowGraphProps) {
  const layout = useMemo(() => layoutOf(document), [document]);
  const nodes = useMemo(
    () =>
      verticesOf(document).map((vertex): VertexNode => {
        const { id, data } = vertex;
        const title = titleOf(vertex);
        const mark = marks.get(id);
        return {
          id,
          type: 'vertex',
          position: layout.places.get(id) ?? { x: 0, y: 0 },
          width: NODE_WIDTH,
          height: NODE_HEIGHT,
          data: { title, type: data.type ?? '', mark },
          selected: id === selected,
          ariaLabel: mark === undefined ? title : `${title}: ${mark.state} ${mark.text ?? ''}`,
        };
      }),
    [document, marks, layout, selected],
  );
  const edges = useMemo(() => {
    const ids = new Set(nodes.map(({ id }) => id));
    return document.edges
      .filter(({ source, target }) => ids.has(source) && ids.has(target))
      .map(({ source, target }, index): Edge => ({
        id: `e${index}`,
        source,
        target,
        focusable: false,
        animated: marks.get(target)?.state === 'running',
      }));
  }, [document, marks, nodes]);
  return (
    <div className="graph">
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={TYPES}
        minZoom={0.1}
        maxZoom={1.6}
        nodesDraggable={false}
        nodesConnectable={false}
        zoomOnScroll={false}
        preventScrolling={false}
        proOptions={{ hideAttribution: true }}
        onNodeClick={(_event, { id }) => onSelect(id === selected ? undefined : id)}
        onPaneClick={() => onSelect(undefined)}
        onNodesChange={(changes) => {
          // The keyboard selects a vertex without a click.
          for (const change of changes)
            if (change.type === 'select' && change.selected && change.id !== selected) onSelect(change.id);
        }}
      >
        <Fit layout={layout} vertex={selected ?? firstMarked(marks, 'bad') ?? firstMarked(marks, 'info')} />
        <Background gap={18} size={1} />
        {nodes.length >= MAPPED_VERTICES && (
          <MiniMap
            pannable
            ariaLabel="Map of the graph"
            position="bottom-left"
            nodeClassName={({ data }) => (data as VertexData).mark?.tone ?? ''}
          />
        )}
        <Controls showInteractive={false} position="bottom-right" fitViewOptions={{ padding: 0.04 }}>
          {onExpand !== undefined && (
            <ControlButton onClick={onExpand} title="Whole page" aria-label="Whole page">
              <Expand size={13} />
            </ControlButton>
          )}
        </Controls>
      </ReactFlow>
    </div>
  );
}

const firstMarked = (marks: ReadonlyMap<string, Mark>, tone: string): string | undefined =>
  [...marks].find(([, mark]) => mark.tone === tone)?.[0];

/**
 * Shows the whole graph when its texts can be read then, else the part around a vertex or the beginning. Does so again when
 * the frame changes.
 */
function Fit({ layout, vertex }: { readonly layout: Layout; readonly vertex: string | undefined }) {
  const { setViewport } = useReactFlow();
  const width = useStore((state) => state.width);
  const height = useStore((state) => state.height);
  useEffect(() => {
    if (width === 0 || height === 0) return;
    const whole = Math.min((width - 2 * MARGIN) / layout.width, (height - 2 * MARGIN) / layout.height);
    const zoom = Math.min(MAXIMUM_ZOOM, Math.max(READABLE_ZOOM, whole));
    const place = vertex === undefined ? undefined : layout.places.get(vertex);
    const along = (frame: number, size: number, at: number | undefined) => {
      const drawn = size * zoom;
      if (drawn + 2 * MARGIN <= frame) return (frame - drawn) / 2;
      if (at === undefined) return MARGIN;
      return Math.min(MARGIN, Math.max(frame - drawn - MARGIN, frame / 2 - at * zoom));
    };
    void setViewport({
      zoom,
      x: along(width, layout.width, place && place.x + NODE_WIDTH / 2),
      y: along(height, layout.height, (place?.y ?? layout.height / 2 - NODE_HEIGHT / 2) + NODE_HEIGHT / 2),
    });
  }, [layout, vertex, width, height, setViewport]);
  return null;
}

function Vertex({ data, selected }: NodeProps<VertexNode>) {
  const { title, type, mark } = data;
  return (
    <div className={`vertex ${mark?.tone ?? ''} ${selected ? 'chosen' : ''}`}>
      <Handle type="target" position={Position.Left} isConnectable={false} />
      <span className="vertex-title cut" dir="auto" title={title}>
        {title}
      </span>
      <span className="vertex-foot">
        <span className="cut">{mark === undefined ? type : mark.state.replaceAll('_', ' ')}</span>
        {mark?.text !== undefined && <span className="vertex-text">{mark.text}</span>}
      </span>
      <Handle type="source" position={Position.Right} isConnectable={false} />
    </div>
  );
}
