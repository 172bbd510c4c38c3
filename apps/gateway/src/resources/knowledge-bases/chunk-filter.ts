import type { KnowledgeChunk } from '@millrace/runs';
import { parsePythonJson, str } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';
import { isRecord } from '../../http/bodies/parse-json';

export type Metadata = Readonly<Record<string, unknown>>;

const FIELDS = ['source_type', 'file_name', 'job_id'] as const;
const PREFIX = 'meta_';

/** Which texts of a knowledge base a caller asks for. */
export interface ChunkFilter {
  /** In lower case; empty for all. */
  readonly search: string;
  readonly fields: readonly (readonly [name: string, value: string])[];
  /** Metadata of the source: for each name, one of these values. */
  readonly source: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Reads the filter of a query; null when it asks for all texts. */
export function chunkFilterOf(query: URLSearchParams): ChunkFilter | null {
  const search = (query.get('search') ?? '').trim().toLowerCase();
  const fields = FIELDS.flatMap((name) => {
    const value = query.get(name);
    return value ? [[name, value] as const] : [];
  });
  const source = new Map<string, Set<string>>();
  for (const [name, value] of query) {
    const key = name.startsWith(PREFIX) ? name.slice(PREFIX.length) : '';
    if (key !== '') source.set(key, (source.get(key) ?? new Set<string>()).add(value));
  }
  return search === '' && fields.length === 0 && source.size === 0 ? null : { search, fields, source };
}

/** Returns whether a text is one that the filter asks for. */
export function matchesFilter(
  { search, fields, source }: ChunkFilter,
  { text }: KnowledgeChunk,
  metadata: Metadata,
): boolean {
  if (search !== '' && !text.toLowerCase().includes(search)) return false;
  if (fields.some(([name, value]) => metadata[name] !== value)) return false;
  if (source.size === 0) return true;
  const stored = sourceMetadataOf(metadata);
  return [...source].every(([name, values]) => valuesOf(stored[name]).some((value) => values.has(value)));
}

/** Returns the metadata that an author gave to the source of a text. */
export function sourceMetadataOf(metadata: Metadata): Metadata {
  const { source_metadata: source } = metadata;
  if (typeof source !== 'string') return isRecord(source) ? source : {};
  return parsed(source);
}

/** Returns a value as texts, a list as one text for each item; none for null. */
export function valuesOf(value: unknown): readonly string[] {
  if (value === null || value === undefined) return [];
  return (Array.isArray(value) ? value : [value]).map((one) => str(one as PythonValue));
}

/** Parses the metadata of a text. */
export function metadataOf({ metadata }: KnowledgeChunk): Metadata {
  return parsed(metadata);
}

function parsed(text: string): Metadata {
  try {
    const value = parsePythonJson(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}
