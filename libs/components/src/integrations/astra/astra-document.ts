import { ComponentError, isDict } from '@millrace/flow';
import type { PythonObject, PythonValue } from '@millrace/python-text';
import { member } from '../http/json-members';
import { numberList, numberOf } from '../vector-stores/number-list';
import type { FoundText, StoredText } from '../vector-stores/vector-store';

/** The layout of a collection's documents. */
export interface AstraLayout {
  /** The member with the text; `$vectorize` when Astra makes the vectors. */
  readonly contentField: string;
  /** True when metadata are members of the document itself, not of a member `metadata`. */
  readonly flat: boolean;
}

const reserved: ReadonlySet<string> = new Set(['_id', '$vector', '$vectorize', '$lexical', '$similarity']);
const commonTextFields = ['content', 'page_content', 'text', 'body_blob'];

/** Returns the layout of a collection that contains this document. */
export function layoutOf(sample: PythonObject, contentField: string): AstraLayout {
  return {
    contentField: contentField || contentFieldOf(sample),
    flat: !isDict(sample['metadata'] ?? null),
  };
}

/** Returns the name of a document's text member: one of the usual names, else the one with the longest text. */
function contentFieldOf(document: PythonObject): string {
  if (typeof document['$vectorize'] === 'string') return '$vectorize';
  const texts = Object.entries(document).filter(
    ([name, value]) => !reserved.has(name) && typeof value === 'string',
  ) as [string, string][];
  const commonField = commonTextFields.find((name) => texts.some(([field]) => field === name));
  const [longest] = texts.sort(([, a], [, b]) => b.length - a.length);
  return commonField ?? longest?.[0] ?? '';
}

/** Converts a text to a document. */
export function astraDocument(
  { id, text, metadata, vector }: StoredText,
  { contentField, flat }: AstraLayout,
  lexical: boolean,
): PythonObject {
  return {
    _id: id,
    [contentField]: text,
    ...(vector === null ? {} : { $vector: [...vector] }),
    ...(lexical ? { $lexical: text } : {}),
    ...(flat ? metadata : { metadata }),
  };
}

/** Converts a document to a text. Null when it has none and invalid documents are ignored. */
export function textFromAstra(
  document: PythonObject,
  contentField: string,
  ignoreInvalid: boolean,
): FoundText | null {
  const { contentField: field, flat } = layoutOf(document, contentField);
  const text: PythonValue = document[field] ?? null;
  if (typeof text !== 'string') {
    if (ignoreInvalid) return null;
    throw new ComponentError(`A document of Astra DB has no text in its field "${field || 'content'}".`);
  }
  const nested = member(document, 'metadata');
  const others = Object.entries(document).filter(([name]) => !reserved.has(name) && name !== field);
  return {
    text,
    metadata: !flat && isDict(nested) ? nested : Object.fromEntries(others),
    similarity: numberOf(document['$similarity'] ?? null),
    vector: numberList(document['$vector'] ?? null),
  };
}
