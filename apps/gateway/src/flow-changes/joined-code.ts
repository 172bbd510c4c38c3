import { isRecord } from '../http/bodies/parse-json';

/** Returns a document with texts of code in place of their lines, into which exports split them. */
export function withJoinedCode(document: unknown): unknown {
  return withCode(document, (value) =>
    Array.isArray(value) && value.every((line) => typeof line === 'string') ? value.join('\n') : value,
  );
}

/** Returns a document with lines in place of texts of code. */
export function withSplitCode(document: unknown): unknown {
  return withCode(document, (value) => (typeof value === 'string' ? value.split('\n') : value));
}

function withCode(document: unknown, change: (value: unknown) => unknown): unknown {
  return changed(document, 'nodes', (nodes) =>
    Array.isArray(nodes) ? nodes.map((node) => nodeWithCode(node, change)) : nodes,
  );
}

function nodeWithCode(node: unknown, change: (value: unknown) => unknown): unknown {
  return changed(node, 'data', (data) =>
    changed(data, 'node', (body) =>
      changed(body, 'template', (template) =>
        isRecord(template)
          ? Object.fromEntries(
              Object.entries(template).map(([name, field]) => [
                name,
                isRecord(field) && field['type'] === 'code' ? changed(field, 'value', change) : field,
              ]),
            )
          : template,
      ),
    ),
  );
}

/** Returns a copy with one changed member; the value itself where it has no such member. */
function changed(value: unknown, name: string, change: (member: unknown) => unknown): unknown {
  return isRecord(value) && name in value ? { ...value, [name]: change(value[name]) } : value;
}
