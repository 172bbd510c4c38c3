import { isDict } from '@millrace/flow';
import { Data, DataFrame } from '@millrace/python-text';
import type { PythonObject, PythonValue } from '@millrace/python-text';
import { FrameError } from '../frames/frame-decoder';
import { integerOf, listOf, memberOf, objectOf, textOf, textsOf } from '../frames/members';
import { decodeMessage } from './decode-message';
import type { LiveObjects, PythonObjectDescription } from './live-objects';

const objectKinds: Readonly<Record<string, PythonObjectDescription['kind']>> = {
  $tool: 'tool',
  $model: 'model',
  $embeddings: 'embeddings',
  $retriever: 'retriever',
  $history: 'history',
  $object: 'object',
};

/** Returns the value in a frame. Throws a FrameError for a tagged object with other members than its tag demands. */
export function decodeValue(value: PythonValue, objects: LiveObjects): PythonValue {
  if (Array.isArray(value))
    return (value as readonly PythonValue[]).map((item) => decodeValue(item, objects));
  if (!isDict(value)) return value;
  const [tag, ...others] = Object.keys(value);
  if (tag?.startsWith('$') === true && others.length === 0) {
    return decodeTagged(tag, memberOf(value, tag) ?? null, objects);
  }
  return decodeMembers(value, objects);
}

function decodeMembers(object: PythonObject, objects: LiveObjects): PythonObject {
  return Object.fromEntries(
    Object.entries(object).map(([key, member]) => [key, decodeValue(member, objects)]),
  );
}

function decodeTagged(tag: string, content: PythonValue, objects: LiveObjects): PythonValue {
  if (tag === '$host' && typeof content === 'number') return objects.host(content);
  if (!isDict(content)) throw new FrameError(`A value has the tag "${tag}" without an object.`);
  const kind = Object.hasOwn(objectKinds, tag) ? objectKinds[tag] : undefined;
  if (kind !== undefined) {
    const reference = integerOf(content, 'ref');
    if (reference === null) throw new FrameError(`An object with the tag "${tag}" has no number.`);
    return objects.wrap({ kind, reference, description: content });
  }
  switch (tag) {
    case '$message':
      return decodeMessage(content, objects, (inner) => decodeMembers(inner, objects));
    case '$data': {
      const standard = memberOf(content, 'default');
      return new Data(decodeMembers(objectOf(content, 'data'), objects), {
        textKey: textOf(content, 'text_key') || 'text',
        defaultValue: typeof standard === 'string' ? standard : null,
      });
    }
    case '$table':
      return decodeTable(content, objects);
    case '$dict':
      return decodeMembers(content, objects);
    default:
      throw new FrameError(`A value has the unknown tag "${tag}".`);
  }
}

function decodeTable(content: PythonObject, objects: LiveObjects): DataFrame {
  const columns = textsOf(content, 'columns');
  const cells = listOf(content, 'cells').map((column) =>
    Array.isArray(column) ? (column as readonly PythonValue[]) : [],
  );
  const count = cells[0]?.length ?? integerOf(content, 'rows') ?? 0;
  if (cells.length !== columns.length || cells.some((column) => column.length !== count)) {
    throw new FrameError('The columns of a table differ in length.');
  }
  const rows = Array.from({ length: count }, (_, row) =>
    Object.fromEntries(
      columns.map((name, column) => [name, decodeValue(cells[column]?.[row] ?? null, objects)]),
    ),
  );
  return new DataFrame(rows, columns);
}
