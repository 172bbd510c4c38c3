import { HttpError } from '@millrace/http';
import { VectorLimitError, vectorLimits } from '@millrace/runs';
import type { KnowledgeBase, KnowledgeBaseStore, KnowledgeSettings } from '@millrace/runs';
import { actorOf } from '../../authentication/actor-of';
import { refuseDuplicate } from '../../http/answers/refuse-duplicate';
import { sendJson } from '../../http/answers/send-json';
import { parseForm } from '../../http/bodies/parse-form';
import type { Form } from '../../http/bodies/parse-form';
import { forManagement, forReading } from '../../http/routing/access';
import { jsonRoute, keyedRoute, pathParameter } from '../../http/routing/route';
import type { KeyedCall, Route } from '../../http/routing/route';
import { flagValue } from '../../http/validation/flag';
import { integerParameter } from '../../http/validation/query';
import { requireBody } from '../../http/validation/require-body';
import { parseUuidStrictly } from '../../http/validation/uuid-text';
import { valueError } from '../../http/validation/validation-items';
import { collectValidationErrors, createValidator, invalidRequest } from '../../http/validation/validator';
import { chunkFilterOf, matchesFilter, metadataOf, sourceMetadataOf, valuesOf } from './chunk-filter';
import type { ChunkFilter } from './chunk-filter';
import { knowledgeBaseNamesSchema, newKnowledgeBaseSchema } from './knowledge-base-bodies';
import type { KnowledgeBaseNamesBody, ModelSelection, NewKnowledgeBaseBody } from './knowledge-base-bodies';
import { knowledgeBaseOperations as operations } from './knowledge-base-operations';
import { chunkView, knowledgeBaseView, OWN_BACKEND } from './knowledge-base-view';
import { KnowledgeUploads } from './knowledge-uploads';
import type { KnowledgeUploadsOptions } from './knowledge-uploads';
import { readUploadForm, reservedMetadata } from './upload-form';
import { uploadDetails, uploadView } from './upload-view';

const MINIMUM_NAME = 3;
const MAXIMUM_NAME = 400;
const DEFAULT_LIMIT = 50;
const MAXIMUM_LIMIT = 100;
const MAXIMUM_VALUES = 50;
const checkNew = createValidator(newKnowledgeBaseSchema);
const checkNames = createValidator(knowledgeBaseNamesSchema);

export type KnowledgeBaseRoutesOptions = KnowledgeUploadsOptions;

/** Routes for the knowledge bases of a user, which the component Knowledge fills and searches by name. */
export function knowledgeBaseRoutes(options: KnowledgeBaseRoutesOptions): readonly Route[] {
  const { knowledgeBases } = options;
  const uploads = new KnowledgeUploads(options);
  const list = async ({ response, principal: { userId } }: KeyedCall) => {
    const bases = await knowledgeBases.list(userId);
    const latest = await uploads.latest(userId);
    sendJson(
      response,
      200,
      bases.map((base) => knowledgeBaseView(base, latest.get(base.name))),
    );
  };
  const create = async (call: KeyedCall) => sendJson(call.response, 201, await created(options, call));
  const read = async (call: KeyedCall) => {
    const base = await known(knowledgeBases, call);
    const latest = await uploads.latest(call.principal.userId);
    sendJson(call.response, 200, knowledgeBaseView(base, latest.get(base.name)));
  };
  const ingest = async (call: KeyedCall) => {
    const form = readUploadForm(await formOf(call));
    const base = await known(knowledgeBases, call);
    const id = await uploads.start(call, base, form);
    call.response.setHeader('x-run-id', id);
    sendJson(call.response, 200, { id, href: `/task/${id}` });
  };
  const runs = async (call: KeyedCall) => {
    const { page, limit, offset } = pageOfQuery(call.query);
    const base = await known(knowledgeBases, call);
    const found = await uploads.page(call.principal.userId, base, { offset, limit });
    sendJson(call.response, 200, {
      runs: found.runs.map((run) => uploadView(run, base)),
      total: found.total,
      page,
      limit,
      total_pages: Math.ceil(found.total / limit),
    });
  };
  const run = async (call: KeyedCall) => {
    const id = parseUuidStrictly(pathParameter(call.request, 'run_id'), ['path', 'run_id']);
    const base = await known(knowledgeBases, call);
    const found = await uploads.find(call.principal.userId, base, id);
    if (found === null) throw new HttpError('not_found', 'Ingestion run not found.');
    sendJson(call.response, 200, { ...uploadView(found, base), ...uploadDetails(found) });
  };
  const cancel = async (call: KeyedCall) => {
    const id = await uploads.cancel(call, await known(knowledgeBases, call));
    sendJson(call.response, 200, { message: `Ingestion job for ${id} cancelled successfully.` });
  };
  const chunks = async (call: KeyedCall) => {
    const { query } = call;
    const { page, limit, offset } = pageOfQuery(query);
    const base = await known(knowledgeBases, call);
    const filter = chunkFilterOf(query);
    const found =
      filter === null
        ? { total: base.chunks, chunks: await pageOf(knowledgeBases, base, { offset, limit }) }
        : await filtered(knowledgeBases, base, { filter, offset, limit });
    sendJson(call.response, 200, { ...found, page, limit, total_pages: Math.ceil(found.total / limit) });
  };
  const keys = async (call: KeyedCall) =>
    sendJson(call.response, 200, await metadataKeys(knowledgeBases, await known(knowledgeBases, call)));
  const remove = async (call: KeyedCall) => {
    const name = nameOf(call);
    await uploads.cancelActive(call, [name]);
    if (!(await deleted(options, call, name))) throw unknown(name);
    sendJson(call.response, 200, { message: `Knowledge base '${name}' deleted successfully` });
  };
  const removeMany = async (call: KeyedCall) =>
    sendJson(call.response, 200, await removed(options, uploads, call));

  const root = '/api/v1/knowledge_bases';
  const one = `${root}/:kb_name`;
  const all = [root, `${root}/`].flatMap((path): Route[] => [
    keyedRoute(`GET ${path}`, forReading, operations.list, list),
    jsonRoute(`POST ${path}`, forManagement, operations.create, create),
    jsonRoute(`DELETE ${path}`, forManagement, operations.removeMany, removeMany),
  ]);
  return [
    ...all,
    keyedRoute(`GET ${one}`, forReading, operations.read, read),
    keyedRoute(`DELETE ${one}`, forManagement, operations.remove, remove),
    {
      method: 'POST',
      access: forManagement,
      path: `${one}/ingest`,
      body: 'form',
      operation: operations.ingest,
      handle: ingest,
    },
    keyedRoute(`GET ${one}/runs`, forReading, operations.runs, runs),
    keyedRoute(`GET ${one}/runs/:run_id`, forReading, operations.run, run),
    keyedRoute(`POST ${one}/cancel`, forManagement, operations.cancel, cancel),
    keyedRoute(`GET ${one}/chunks`, forReading, operations.chunks, chunks),
    keyedRoute(`GET ${one}/metadata/keys`, forReading, operations.keys, keys),
  ];
}

interface PageRange {
  readonly page: number;
  readonly limit: number;
  readonly offset: number;
}

function pageOfQuery(query: URLSearchParams): PageRange {
  const [page, limit] = collectValidationErrors(
    () => integerParameter(query, 'page', { absent: 1, minimum: 1, maximum: vectorLimits.documents }),
    () =>
      integerParameter(query, 'limit', {
        absent: DEFAULT_LIMIT,
        minimum: 1,
        maximum: MAXIMUM_LIMIT,
        refusesMore: true,
      }),
  );
  return { page, limit, offset: (page - 1) * limit };
}

async function created({ knowledgeBases, audit }: KnowledgeBaseRoutesOptions, call: KeyedCall) {
  const body = bodyOf(call);
  const { userId } = call.principal;
  const settings = settingsOf(body);
  const name = body.name.trim().replaceAll(' ', '_');
  refuseName(name);
  const creating = audit.change(actorOf(call), async (change) => {
    const id = await knowledgeBases.within(change).create(userId, name, settings);
    change.note({ action: 'knowledge_base.created', objectId: id, objectName: name });
    return id;
  });
  const id = await refuseDuplicate(`Knowledge base '${name}' already exists`, creating, 409).catch(
    (error: unknown) => {
      if (!(error instanceof VectorLimitError)) throw error;
      throw new HttpError('invalid_value', error.message);
    },
  );
  const empty = { id, name, settings, chunks: 0, characters: 0, words: 0, bytes: 0, fileTypes: [] };
  return {
    ...knowledgeBaseView(empty),
    embedding_model: body.embedding_model,
    // As in Langflow, what the caller did not choose is null here, and a default when it is read.
    chunk_size: null,
    chunk_overlap: null,
    column_config: body.column_config?.length ? settings.columns : null,
  };
}

function bodyOf({ body }: KeyedCall): NewKnowledgeBaseBody {
  checkNew(requireBody(body));
  const wanted = body as NewKnowledgeBaseBody;
  const type = (wanted.backend_type ?? '').trim();
  const refuse = (name: string, input: unknown, text: string) =>
    invalidRequest([valueError(['body', name], input, text)]);
  if (type !== '' && type !== OWN_BACKEND)
    throw refuse(
      'backend_type',
      type,
      `Vector-store backend '${type.slice(0, 100)}' is not enabled in this build. Available backends: ${OWN_BACKEND}.`,
    );
  const config = wanted.backend_config ?? {};
  if (Object.keys(config).length > 0)
    throw refuse('backend_config', config, `The backend ${OWN_BACKEND} takes no settings.`);
  return wanted;
}

/** Returns the chosen model. Throws not_found when the two ways to choose it differ, as Langflow does. */
function settingsOf(body: NewKnowledgeBaseBody): KnowledgeSettings {
  const provider = body.embedding_provider.trim();
  const { model_selection: selection } = body;
  const chosen: ModelSelection | null | undefined = Array.isArray(selection)
    ? (selection as readonly ModelSelection[])[0]
    : (selection as ModelSelection | null | undefined);
  const agrees = chosen == null || textOf(chosen['provider']).toLowerCase() === provider.toLowerCase();
  if (provider === '' || !agrees) throw new HttpError('not_found', 'Model provider not found');
  const model = chosen == null ? body.embedding_model : textOf(chosen['name']) || body.embedding_model;
  return {
    provider,
    model,
    columns: (body.column_config ?? []).map(({ column_name, vectorize, identifier }) => ({
      column_name,
      vectorize: flagValue(vectorize),
      identifier: flagValue(identifier),
    })),
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}

function refuseName(name: string): void {
  if (name.length < MINIMUM_NAME)
    throw new HttpError('invalid_value', `Knowledge base name must be at least ${MINIMUM_NAME} characters`);
  if (/[/\\]/.test(name) || name === '..')
    throw new HttpError('permission_denied', `Access denied for knowledge base '${name.slice(0, 200)}'.`);
  if (name.length > MAXIMUM_NAME)
    throw new HttpError('invalid_value', `Knowledge base name must be at most ${MAXIMUM_NAME} characters`);
}

async function pageOf(
  knowledgeBases: KnowledgeBaseStore,
  base: KnowledgeBase,
  range: { readonly offset: number; readonly limit: number },
) {
  return (await knowledgeBases.page(base, range)).map((chunk) => chunkView(chunk, metadataOf(chunk)));
}

interface FilteredRange {
  readonly filter: ChunkFilter;
  readonly offset: number;
  readonly limit: number;
}

/** Reads all texts, a few in memory at a time, and returns those of one page. */
async function filtered(
  knowledgeBases: KnowledgeBaseStore,
  base: KnowledgeBase,
  { filter, offset, limit }: FilteredRange,
) {
  const chunks: ReturnType<typeof chunkView>[] = [];
  let total = 0;
  for await (const batch of knowledgeBases.chunks(base))
    for (const chunk of batch) {
      const metadata = metadataOf(chunk);
      if (!matchesFilter(filter, chunk, metadata)) continue;
      if (total >= offset && total < offset + limit) chunks.push(chunkView(chunk, metadata));
      total += 1;
    }
  return { total, chunks };
}

async function metadataKeys(knowledgeBases: KnowledgeBaseStore, base: KnowledgeBase) {
  const found = new Map<string, Set<string>>();
  let truncated = false;
  for await (const batch of knowledgeBases.chunks(base))
    for (const chunk of batch)
      for (const [name, value] of Object.entries(sourceMetadataOf(metadataOf(chunk)))) {
        if (reservedMetadata.has(name)) continue;
        const values = found.get(name) ?? new Set<string>();
        found.set(name, values);
        for (const one of valuesOf(value))
          if (values.size < MAXIMUM_VALUES || values.has(one)) values.add(one);
          else truncated = true;
      }
  const names = [...found.keys()].sort();
  return { keys: Object.fromEntries(names.map((name) => [name, [...(found.get(name) ?? [])]])), truncated };
}

async function removed(options: KnowledgeBaseRoutesOptions, uploads: KnowledgeUploads, call: KeyedCall) {
  checkNames(requireBody(call.body));
  const { kb_names: names } = call.body as KnowledgeBaseNamesBody;
  await uploads.cancelActive(call, names);
  const missing: string[] = [];
  let count = 0;
  for (const name of names)
    if (await deleted(options, call, name)) count += 1;
    else missing.push(name);
  const list = missing.join(', ');
  if (missing.length > 0 && count === 0)
    throw new HttpError('not_found', `Knowledge bases not found: ${list}`);
  return {
    message: `Successfully deleted ${count} knowledge base(s)`,
    deleted_count: count,
    ...(missing.length > 0 ? { not_found: list } : {}),
  };
}

function deleted(
  { knowledgeBases, audit }: KnowledgeBaseRoutesOptions,
  call: KeyedCall,
  name: string,
): Promise<boolean> {
  return audit.change(actorOf(call), async (change) => {
    const id = await knowledgeBases.within(change).delete(call.principal.userId, name);
    if (id !== null) change.note({ action: 'knowledge_base.deleted', objectId: id, objectName: name });
    return id !== null;
  });
}

/** Returns the form of an upload; an empty one for another body. */
async function formOf({ request, runBody }: KeyedCall): Promise<Form> {
  const isForm = /^multipart\/form-data/i.test(request.headers['content-type'] ?? '');
  if (!isForm || runBody === null || !('bytes' in runBody)) return { fields: new Map(), files: [] };
  return parseForm(request, runBody.bytes);
}

async function known(knowledgeBases: KnowledgeBaseStore, call: KeyedCall): Promise<KnowledgeBase> {
  const name = nameOf(call);
  const base = await knowledgeBases.find(call.principal.userId, name);
  if (base === null) throw unknown(name);
  return base;
}

function unknown(name: string): HttpError {
  return new HttpError('not_found', `Knowledge base '${name.slice(0, 500)}' not found`);
}

function nameOf({ request }: KeyedCall): string {
  return pathParameter(request, 'kb_name');
}
