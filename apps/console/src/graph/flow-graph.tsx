import { Background, Controls, Handle, Position, ReactFlow } from '@xyflow/react';
import type { Edge, Node, NodeProps } from '@xyflow/react';
import { useMemo } from 'react';
import type { FlowDocument } from '../api/answers';
import { NODE_HEIGHT, NODE_WIDTH, placesOf, verticesOf } from './layout';

/** What is known of a vertex: a state, which gives its colour, and a short text such as its time. */
export interface Mark {
  readonly tone: string;
  readonly state: string;
  readonly text?: string;
}

export interface FlowGraphProps {
  readonly document: FlowDocument;
  readonly marks: ReadonlyMap<string, Mark>;
  readonly selected: string | undefined;
  readonly onSelect: (id: string | undefined) => void;
}

interface VertexData extends Record<string, unknown> {
  readonly title: string;
  readonly type: string;
  readonly mark: Mark | undefined;
}

type VertexNode = Node<VertexData, 'vertex'>;

const TYPES = { vertex: Vertex };

export default function FlowGraph({ document, marks, selected, onSelect }: FlowGraphProps) {
  const places = useMemo(() => placesOf(document), [document]);
  const nodes = useMemo(
    () =>
      verticesOf(document).map(({ id, data }): VertexNode => {
        const title = data.node?.display_name ?? data.type ?? id;
        const mark = marks.get(id);
        return {
          id,
          type: 'vertex',
          position: places.get(id) ?? { x: 0, y: 0 },
          width: NODE_WIDTH,
          height: NODE_HEIGHT,
          data: { title, type: data.type ?? '', mark },
          selected: id === selected,
          ariaLabel: mark === undefined ? title : `${title}: ${mark.state} ${mark.text ?? ''}`,
        };
      }),
    [document, marks, places, selected],
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
        fitView
        fitViewOptions={{ padding: 0.12, maxZoom: 1.05 }}
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
        <Background gap={18} size={1} />
        <Controls showInteractive={false} position="bottom-right" />
      </ReactFlow>
    </div>
  );
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
