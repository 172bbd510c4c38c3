import { decodeText } from '@millrace/documents';
import { ComponentError, defineComponent, isDict, text } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import {
  Data,
  jsonDumpsCompactAscii,
  nowWithMicroseconds,
  parsePythonJson,
  PythonJsonError,
  str,
} from '@millrace/python-text';
import type { PythonObject, PythonValue } from '@millrace/python-text';
import { embedTexts } from '../embeddings/calls/embed-texts';
import { extensionOf } from '../files/formats/text-file-types';
import { openFiles } from '../files/readers/open-files';
import { readFileText } from '../files/readers/read-file-text';
import { runInSlices } from '../parsing/run-in-slices';
import { splitRecursively } from '../text/splitting/split-characters';
import { knowledgeEmbedding } from './knowledge-bases/knowledge-embedding';

/** Vectors in memory at a time: they are written together, so that an upload that fails leaves nothing. */
const MAXIMUM_CHUNKS = 5_000;
const fallbackSeparators = ['\n\n', '\n', ' ', ''];
/** Types whose text is not their bytes. */
const documents = new Set(['pdf', 'docx']);

/** What the route of uploads asks for. */
interface Upload {
  readonly base: string;
  readonly files: readonly {
    readonly path: string;
    readonly name: string;
    readonly metadata: PythonObject;
  }[];
  readonly chunkSize: number;
  readonly chunkOverlap: number;
  readonly separator: string;
  readonly source: string;
}

export default defineComponent({
  type: 'KnowledgeUpload',
  displayName: 'Knowledge Upload',
  description: 'Writes the texts of uploaded files to a knowledge base.',
  inputs: { upload: text({ displayName: 'Upload' }) },
  outputs: { summary: { types: ['Data', 'JSON'], displayName: 'Summary' } },
  deterministic: false,
  run: async ({ upload: given }, context) => {
    const upload = uploadOf(given);
    const collection = `knowledge:${upload.base}`;
    const { chunks, items } = await chunksOf(upload, context);
    if (chunks.length > 0) {
      const embedding = await knowledgeEmbedding('', context, collection);
      const vectors = await embedTexts(
        embedding,
        chunks.map((chunk) => chunk.text),
        context,
      );
      await context.resources.vectors.write(
        collection,
        chunks.map((chunk, index) => ({ ...chunk, vector: vectors[index] ?? [] })),
      );
    }
    const summary = { kb_name: upload.base, files: upload.files.length, chunks: chunks.length, items };
    context.status(`${chunks.length} chunks`);
    return { summary: new Data(summary) };
  },
});

interface Chunk {
  readonly id: string;
  readonly text: string;
  readonly metadata: PythonObject;
}

interface ReadUpload {
  readonly chunks: readonly Chunk[];
  /** What became of each file. */
  readonly items: readonly PythonObject[];
}

async function chunksOf(upload: Upload, context: ComponentContext): Promise<ReadUpload> {
  const chunks: Chunk[] = [];
  const items: PythonObject[] = [];
  const named = upload.files.map(({ path }) => ({ path, data: {} }));
  let index = 0;
  for await (const { path, content } of openFiles(context, named, false)) {
    const file = upload.files.find((one) => path.startsWith(one.path));
    const name = file?.name ?? path;
    const value = documents.has(extensionOf(name))
      ? await readFileText({ path: name, content }, context.signal)
      : decodeText(content);
    const texts = await split(str(value), upload, context);
    if (chunks.length + texts.length > MAXIMUM_CHUNKS)
      throw new ComponentError(
        `The upload has more than ${MAXIMUM_CHUNKS} chunks. Upload fewer files at once, or larger chunks.`,
      );
    const common = {
      source: upload.source || name,
      file_name: name,
      total_chunks: texts.length,
      ingested_at: new Date(nowWithMicroseconds()).toISOString().replace('Z', '+00:00'),
      job_id: context.run.id,
      source_type: 'file_upload',
      source_metadata: metadataText(file?.metadata ?? {}),
    };
    chunks.push(
      ...texts.map((chunk, position) => ({
        id: `${context.run.id}-${index}-${position}`,
        text: chunk,
        metadata: { ...common, chunk_index: position },
      })),
    );
    items.push({ name, bytes: content.length, chunks: texts.length });
    index += 1;
  }
  return { chunks, items };
}

/** A separator of the caller is preferred; others apply to what it leaves too large. */
async function split(
  content: string,
  { chunkSize, chunkOverlap, separator }: Upload,
  context: ComponentContext,
): Promise<readonly string[]> {
  if (content.trim() === '') return [];
  const own = separator.replaceAll('\\n', '\n').replaceAll('\\t', '\t');
  const separators = own === '' ? fallbackSeparators : [own, ...fallbackSeparators];
  return runInSlices(
    splitRecursively(content, separators, { chunkSize, chunkOverlap, keeps: 'start' }),
    context.signal,
  );
}

function metadataText(metadata: PythonObject): string {
  return Object.keys(metadata).length === 0 ? '' : jsonDumpsCompactAscii(metadata);
}

function uploadOf(given: string): Upload {
  const value = parsed(given);
  const files = Array.isArray(value['files']) ? (value['files'] as readonly PythonValue[]) : [];
  return {
    base: textOf(value, 'knowledge_base'),
    files: files.filter(isDict).map((file) => ({
      path: textOf(file, 'path'),
      name: textOf(file, 'name'),
      metadata: objectOf(file['metadata'] ?? null),
    })),
    chunkSize: numberOf(value, 'chunk_size', 1_000),
    chunkOverlap: numberOf(value, 'chunk_overlap', 200),
    separator: textOf(value, 'separator'),
    source: textOf(value, 'source_name'),
  };
}

function parsed(given: string): PythonObject {
  try {
    const value = parsePythonJson(given);
    if (isDict(value) && textOf(value, 'knowledge_base') !== '') return value;
  } catch (error) {
    if (!(error instanceof PythonJsonError)) throw error;
  }
  throw new ComponentError('The upload must be a JSON object that names a knowledge base and its files.');
}

function objectOf(value: PythonValue): PythonObject {
  return isDict(value) ? value : {};
}

function textOf(value: PythonObject, name: string): string {
  const member = value[name];
  return typeof member === 'string' ? member : '';
}

function numberOf(value: PythonObject, name: string, absent: number): number {
  const member = value[name];
  return typeof member === 'number' || typeof member === 'bigint' ? Number(member) : absent;
}
