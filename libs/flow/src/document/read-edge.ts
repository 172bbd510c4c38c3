import { decodeHandle } from './decode-handle';
import type { FlowEdge } from './flow-document';
import type { JsonObject } from './json-object';
import { member, objectMember, isJsonObject, textListMember, textMember } from './json-object';

/** Reads one edge. Handles in `data` take precedence over text handles, ids of the edge over those in handles. */
export function readEdge(edge: JsonObject): FlowEdge {
  const source = handle(edge, 'sourceHandle', 'source');
  const target = handle(edge, 'targetHandle', 'target');
  return {
    sourceId: textMember(edge, 'source') || textMember(source, 'id'),
    targetId: textMember(edge, 'target') || textMember(target, 'id'),
    sourceOutput: textMember(source, 'name'),
    // The feedback edge of a loop ends at an output, whose handle has a name in place of a field name.
    targetField: textMember(target, 'fieldName') || textMember(target, 'name'),
    sourceTypes: [...textListMember(source, 'output_types'), ...textListMember(source, 'baseClasses')],
    targetTypes: [
      ...textListMember(target, 'inputTypes'),
      ...textListMember(target, 'output_types'),
      ...[textMember(target, 'type')].filter((type) => type !== ''),
    ],
  };
}

function handle(edge: JsonObject, name: string, end: 'source' | 'target'): JsonObject {
  const saved = member(objectMember(edge, 'data'), name);
  if (isJsonObject(saved)) return saved;
  const text = typeof saved === 'string' ? saved : textMember(edge, name);
  return decodeHandle(text, end) ?? {};
}
