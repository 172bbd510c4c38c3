import { isRecord } from '../../http/bodies/parse-json';
import type { FlowBody } from './flow-bodies';

/** Returns the flow with texts of code in place of their lines, into which exports of Langflow split them. */
export function withJoinedCode(flow: FlowBody): FlowBody {
  const { data } = flow;
  if (!isRecord(data) || !Array.isArray(data['nodes'])) return flow;
  return { ...flow, data: { ...data, nodes: data['nodes'].map(nodeWithJoinedCode) } } as FlowBody;
}

function nodeWithJoinedCode(node: unknown): unknown {
  return changed(node, 'data', (data) =>
    changed(data, 'node', (body) =>
      changed(body, 'template', (template) =>
        isRecord(template)
          ? Object.fromEntries(Object.entries(template).map(([name, field]) => [name, joinedField(field)]))
          : template,
      ),
    ),
  );
}

function joinedField(field: unknown): unknown {
  if (!isRecord(field) || field['type'] !== 'code') return field;
  const { value } = field;
  const isLines = Array.isArray(value) && value.every((line) => typeof line === 'string');
  return isLines ? { ...field, value: value.join('\n') } : field;
}

/** Returns a copy with one changed member; the value itself where it has no such member. */
function changed(value: unknown, name: string, change: (member: unknown) => unknown): unknown {
  return isRecord(value) && name in value ? { ...value, [name]: change(value[name]) } : value;
}
