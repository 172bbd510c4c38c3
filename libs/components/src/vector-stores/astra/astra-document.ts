import { ComponentError, isDict } from '@millrace/flow';
import type { PythonObject, PythonValue } from '@millrace/flow';
import { member } from '../../http/json-members';
import { numberList, numberOf } from '../number-list';
import type { FoundText, StoredText } from '../vector-store';

/** How the documents of a collection hold texts. */
export interface AstraLayout {
  /** The member with the text; `$vectorize` where Astra makes the vectors. */
  readonly contentField: string;
  /** Metadata are members of the document itself, not of a member `metadata`. */
  readonly flat: boolean;
}

const reserved: ReadonlySet<string> = new Set(['_id', '$vector', '$vectorize', '$lexical', '$similarity']);
const usualFields = ['content', 'page_content', 'text', 'body_blob'];

/** The layout of a collection that holds a document like this one. */
export function layoutOf(sample: PythonObject, contentField: string): AstraLayout {
  return {
    contentField: contentField || contentFieldOf(sample),
    flat: !isDict(sample['metadata'] ?? null),
  };
}

/** The member that holds the text of a document: by its usual names, else the longest text there is. */
function contentFieldOf(document: PythonObject): string {
  if (typeof document['$vectorize'] === 'string') return '$vectorize';
  const texts = Object.entries(document).filter(
    ([name, value]) => !reserved.has(name) && typeof value === 'string',
  ) as [string, string][];
  const usual = usualFields.find((name) => texts.some(([field]) => field === name));
  const [longest] = texts.sort(([, a], [, b]) => b.length - a.length);
  return usual ?? longest?.[0] ?? '';
}

/** The document that stands for a text. */
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

/** The text that a document stands for; null when it has none and that is to be overlooked. */
export function foundInAstra(
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
