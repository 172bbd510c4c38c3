import { HttpError } from '@millrace/http';
import { parsePythonJson, PythonJsonError } from '@millrace/python-text';
import { isRecord } from '../../http/bodies/parse-json';
import type { Form, FormFile } from '../../http/bodies/parse-form';
import type { ValidationItem } from '../../http/validation/validation-item';
import { missing, valueError } from '../../http/validation/validation-items';
import { invalidRequest } from '../../http/validation/validator';
import type { Metadata } from './chunk-filter';

/** What an upload asks for. */
export interface UploadForm {
  readonly files: readonly FormFile[];
  readonly chunkSize: number;
  readonly chunkOverlap: number;
  readonly separator: string;
  readonly sourceName: string;
  /** Of all files. */
  readonly metadata: Metadata;
  /** Of single files, by their names. */
  readonly fileMetadata: ReadonlyMap<string, Metadata>;
}

const FILES = 'files';
const MAXIMUM_KEYS = 16;
const MAXIMUM_KEY = 32;
const MAXIMUM_VALUE = 256;
const MAXIMUM_ITEMS = 16;
const MAXIMUM_TEXT = 1_000;
/** Metadata that an upload writes itself. */
export const reservedMetadata: ReadonlySet<string> = new Set(
  'source file_name chunk_index total_chunks ingested_at job_id source_type source_metadata'.split(' '),
);

/** Reads the form of an upload. Throws invalid_request with Langflow's texts. */
export function readUploadForm({ fields, files }: Form): UploadForm {
  const items: ValidationItem[] = [];
  const found = files.filter(({ name }) => name === FILES);
  if (found.length === 0)
    items.push(
      fields.has(FILES)
        ? valueError(['body', FILES, 0], fields.get(FILES), "Expected UploadFile, received: <class 'str'>")
        : missing(['body', FILES], null),
    );
  const size = integerField(fields, 'chunk_size', { absent: 1_000, minimum: 1, maximum: 10_000 }, items);
  const overlap = integerField(fields, 'chunk_overlap', { absent: 200, minimum: 0, maximum: 5_000 }, items);
  if (items.length > 0) throw invalidRequest(items);
  if (overlap > size) throw refused(`Chunk overlap (${overlap}) can't be larger than chunk size (${size}).`);
  const metadata = checkedMetadata(objectField(fields, 'metadata', 'Metadata', 'must be a JSON object.'));
  const single = objectField(
    fields,
    'per_file_metadata',
    'Per-file metadata',
    'must be a JSON object keyed by filename.',
  );
  if (Object.keys(single).length > MAXIMUM_KEYS)
    throw refused(`Per-file metadata exceeds the ${MAXIMUM_KEYS} file limit.`);
  return {
    files: found,
    chunkSize: size,
    chunkOverlap: overlap,
    separator: textField(fields, 'separator'),
    sourceName: textField(fields, 'source_name'),
    metadata,
    fileMetadata: new Map(
      Object.entries(single).map(([name, value]) => {
        if (!isRecord(value)) throw refused(`Per-file metadata for '${name}' must be a JSON object.`);
        return [name, checkedMetadata(value)];
      }),
    ),
  };
}

interface Bounds {
  readonly absent: number;
  readonly minimum: number;
  readonly maximum: number;
}

function integerField(
  fields: Form['fields'],
  name: string,
  { absent, minimum, maximum }: Bounds,
  items: ValidationItem[],
): number {
  const input = fields.get(name) ?? '';
  if (input === '') return absent;
  const loc = ['body', name];
  const value = /^[+-]?\d{1,15}$/.test(input.trim()) ? Number(input) : null;
  if (value === null) {
    const msg = 'Input should be a valid integer, unable to parse string as an integer';
    items.push({ type: 'int_parsing', loc, msg, input });
    return absent;
  }
  if (value < minimum) {
    const msg = `Input should be greater than or equal to ${minimum}`;
    items.push({ type: 'greater_than_equal', loc, msg, input, ctx: { ge: minimum } });
  } else if (value > maximum) {
    const msg = `Input should be less than or equal to ${maximum}`;
    items.push({ type: 'less_than_equal', loc, msg, input, ctx: { le: maximum } });
  }
  return value;
}

function textField(fields: Form['fields'], name: string): string {
  const value = fields.get(name) ?? '';
  if (value.length <= MAXIMUM_TEXT) return value;
  throw refused(`${name} exceeds ${MAXIMUM_TEXT} characters.`);
}

function objectField(fields: Form['fields'], name: string, title: string, shape: string): Metadata {
  const text = fields.get(name) ?? '';
  if (text === '') return {};
  let value: unknown;
  try {
    value = parsePythonJson(text);
  } catch (error) {
    if (!(error instanceof PythonJsonError)) throw error;
    throw refused(`${title} is not valid JSON: ${error.reason}`);
  }
  if (!isRecord(value)) throw refused(`${title} ${shape}`);
  try {
    // As numbers of JavaScript, which can be written again.
    return JSON.parse(text) as Metadata;
  } catch {
    throw refused(`${title} must not contain NaN or Infinity.`);
  }
}

function checkedMetadata(metadata: Metadata): Metadata {
  const entries = Object.entries(metadata);
  if (entries.length > MAXIMUM_KEYS) throw refused(`Metadata exceeds the ${MAXIMUM_KEYS} key limit.`);
  for (const [key, value] of entries) {
    if (!/^[a-z0-9_]+$/.test(key) || key.length > MAXIMUM_KEY)
      throw refused(
        `Metadata key '${key}' is invalid: must be 1-${MAXIMUM_KEY} lowercase alphanumeric or underscore characters.`,
      );
    if (reservedMetadata.has(key))
      throw refused(`Metadata key '${key}' is reserved for ingestion-internal use.`);
    checkValue(key, value);
  }
  return metadata;
}

function checkValue(key: string, value: unknown): void {
  if (typeof value === 'boolean' || typeof value === 'number') return;
  if (typeof value === 'string') {
    if (value.length <= MAXIMUM_VALUE) return;
    throw refused(`Metadata value for '${key}' exceeds ${MAXIMUM_VALUE} characters.`);
  }
  if (!Array.isArray(value)) {
    const type = value === null ? 'NoneType' : 'dict';
    throw refused(
      `Metadata value for '${key}' must be a string, number, bool, or string array; got ${type}.`,
    );
  }
  if (value.length > MAXIMUM_ITEMS) throw refused(`Metadata array '${key}' exceeds ${MAXIMUM_ITEMS} items.`);
  for (const item of value as readonly unknown[]) {
    if (typeof item !== 'string') throw refused(`Metadata array '${key}' must contain only strings.`);
    if (item.length > MAXIMUM_VALUE)
      throw refused(`Metadata array entry under '${key}' exceeds ${MAXIMUM_VALUE} characters.`);
  }
}

function refused(text: string): HttpError {
  return new HttpError('invalid_request', text);
}
