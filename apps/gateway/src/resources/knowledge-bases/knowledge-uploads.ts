import type { FlowCache, RequestLimits } from '@millrace/access';
import { HttpError } from '@millrace/http';
import { DuplicateError, fileName, KNOWLEDGE_PREFIX } from '@millrace/runs';
import type {
  AuditLog,
  FileRecord,
  FileStore,
  FlowReference,
  KnowledgeBase,
  KnowledgeBaseStore,
  KnowledgeRun,
  RunRecord,
  RunStore,
} from '@millrace/runs';
import { actorOf } from '../../authentication/actor-of';
import { authorOf } from '../../authentication/author-of';
import type { FlowTraitsCache } from '../../flow-traits/flow-traits';
import { askedBy } from '../../http/routing/route';
import type { KeyedCall } from '../../http/routing/route';
import { headerVariables, requestedDeadlineSeconds } from '../../http/run-headers';
import type { DurableRuns } from '../../runs/durable-runs';
import { auditedFiles } from '../files/audited-files';
import type { FlowService } from '../../flow-changes/flow-service';
import type { WorkflowRuns } from '../workflows/workflow-runs';
import { UPLOAD_ENDPOINT, UPLOAD_TYPE, UPLOAD_VERTEX, uploadFlow } from './upload-flow';
import type { UploadForm } from './upload-form';

export interface KnowledgeUploadsOptions {
  readonly knowledgeBases: KnowledgeBaseStore;
  readonly files: FileStore;
  readonly audit: AuditLog;
  readonly cache: FlowCache;
  readonly traits: FlowTraitsCache;
  readonly flowService: FlowService;
  readonly durable: DurableRuns;
  readonly runs: Pick<RunStore, 'find'>;
  readonly workflows: Pick<WorkflowRuns, 'stop'>;
  readonly limits: Pick<RequestLimits, 'countFile'>;
}

/** Fills knowledge bases with uploaded files: each upload is a background run of a flow of the user. */
export class KnowledgeUploads {
  readonly #options: KnowledgeUploadsOptions;

  constructor(options: KnowledgeUploadsOptions) {
    this.#options = options;
  }

  /** Stores the files and starts the run that writes them; resolves to its id once it is stored. */
  async start(call: KeyedCall, base: KnowledgeBase, form: UploadForm): Promise<string> {
    const flow = await this.#flowOf(call);
    const bytes = form.files.reduce((sum, { content }) => sum + content.length, 0);
    const counted = this.#options.limits.countFile({ principal: call.principal, flow });
    await counted.add(bytes);
    const stored: FileRecord[] = [];
    try {
      for (const file of form.files) stored.push(await this.#store(call, flow, file));
      return await this.#run(call, flow, base, inputOf(base, form, stored));
    } catch (error) {
      counted.giveBack();
      const audited = auditedFiles(this.#options);
      for (const file of stored) await audited.delete(actorOf(call), file);
      throw error;
    }
  }

  /** Returns the newest upload of each base of a user that has one, by the name of the base. */
  async latest(userId: string): Promise<ReadonlyMap<string, KnowledgeRun>> {
    const { cache, knowledgeBases } = this.#options;
    const flow = await cache.find(userId, UPLOAD_ENDPOINT);
    const runs = flow ? await knowledgeBases.latestRuns(userId, flow.id) : [];
    return new Map(runs.map((run) => [run.name, run]));
  }

  /** Returns uploads of a base, newest first, and how many it has. */
  async page(
    userId: string,
    base: KnowledgeBase,
    range: { readonly offset: number; readonly limit: number },
  ): Promise<{ readonly runs: readonly RunRecord[]; readonly total: number }> {
    const { cache, knowledgeBases, runs } = this.#options;
    const flow = await cache.find(userId, UPLOAD_ENDPOINT);
    if (!flow) return { runs: [], total: 0 };
    const { ids, total } = await knowledgeBases.runs(userId, flow.id, { ...range, name: base.name });
    const found: RunRecord[] = [];
    for (const id of ids) {
      const run = await runs.find(userId, id);
      if (run !== null) found.push(run);
    }
    return { runs: found, total };
  }

  /** Returns an upload of a base; null when it has no such upload. */
  async find(userId: string, { name }: KnowledgeBase, id: string): Promise<RunRecord | null> {
    const { cache, runs } = this.#options;
    const flow = await cache.find(userId, UPLOAD_ENDPOINT);
    const run = flow ? await runs.find(userId, id) : null;
    return run?.flowId === flow?.id && run?.sessionId === KNOWLEDGE_PREFIX + name ? run : null;
  }

  /** Cancels the newest upload of a base; resolves to its id. Throws not_found and invalid_value as Langflow does. */
  async cancel(call: KeyedCall, { name }: KnowledgeBase): Promise<string> {
    const { userId } = call.principal;
    const run = (await this.latest(userId)).get(name);
    if (run === undefined)
      throw new HttpError('not_found', `No ingestion job found for the knowledge base ${name}`);
    if (!isActive(run))
      throw new HttpError(
        'invalid_value',
        `Cannot cancel job with status '${endNames[run.status] ?? 'failed'}'`,
      );
    await this.#options.workflows.stop(userId, run.id, actorOf(call));
    return run.id;
  }

  /** Cancels the upload of a base that is to be deleted, which would create it again. */
  async cancelActive(call: KeyedCall, names: readonly string[]): Promise<void> {
    const { userId } = call.principal;
    const latest = await this.latest(userId);
    for (const name of names) {
      const run = latest.get(name);
      if (run !== undefined && isActive(run))
        await this.#options.workflows.stop(userId, run.id, actorOf(call));
    }
  }

  async #store(
    call: KeyedCall,
    { id }: FlowReference,
    { filename, content }: UploadForm['files'][number],
  ): Promise<FileRecord> {
    const { userId } = call.principal;
    const file = { userId, flowId: id, ...fileName(filename) };
    const stored = await auditedFiles(this.#options).receive(actorOf(call), file, partsOf(content));
    if (stored === null) throw new HttpError('flow_unknown', 'The flow of uploads was deleted; try again.');
    return stored;
  }

  #run(
    { request, response, principal: { userId } }: KeyedCall,
    flow: FlowReference,
    { name }: KnowledgeBase,
    inputValue: string,
  ): Promise<string> {
    const order = {
      userId,
      flow,
      request: {
        form: 'simple',
        inputs: [{ components: [], inputValue, type: 'text' }],
        outputs: { by: 'list', outputs: [UPLOAD_VERTEX] },
        tweaks: {},
        stream: false,
        sessionId: KNOWLEDGE_PREFIX + name,
        globalVariables: headerVariables(request.headers),
      },
      ...askedBy(response),
      deadlineSeconds: requestedDeadlineSeconds(request.headers),
      onEvents: null,
    } as const;
    return this.#options.durable.startDetached(order, 'background', null);
  }

  /** Returns the flow of uploads of a user, which the first upload creates. */
  async #flowOf(call: KeyedCall): Promise<FlowReference> {
    const { cache, flowService, traits } = this.#options;
    const { userId } = call.principal;
    if (!(await cache.find(userId, UPLOAD_ENDPOINT)))
      await flowService.create(authorOf(call), uploadFlow).catch((error: unknown) => {
        // Another upload has created it.
        if (!(error instanceof DuplicateError)) throw error;
      });
    const flow = await cache.find(userId, UPLOAD_ENDPOINT);
    const types = flow ? (await traits.of(flow.id, flow.version)).types : new Set();
    if (flow && types.has(UPLOAD_TYPE)) return flow;
    const text = `A flow has the name "${uploadFlow.name}" or the endpoint name ${UPLOAD_ENDPOINT}; rename it.`;
    throw new HttpError('duplicate', text, { status: 409 });
  }
}

const endNames: Readonly<Partial<Record<KnowledgeRun['status'], string>>> = {
  succeeded: 'completed',
  cancelled: 'cancelled',
  timed_out: 'timed_out',
};

/** Returns whether a run has not ended. */
export function isActive({ status }: KnowledgeRun): boolean {
  return status === 'accepted' || status === 'queued' || status === 'running';
}

function inputOf({ name }: KnowledgeBase, form: UploadForm, stored: readonly FileRecord[]): string {
  // As in Langflow, the name of the source can be searched for like other metadata.
  const named = form.sourceName === '' ? {} : { source_name: form.sourceName };
  return JSON.stringify({
    knowledge_base: name,
    files: stored.map(({ path }, index) => {
      const given = form.files[index]?.filename ?? '';
      return { path, name: given, metadata: { ...form.metadata, ...named, ...form.fileMetadata.get(given) } };
    }),
    chunk_size: form.chunkSize,
    chunk_overlap: form.chunkOverlap,
    separator: form.separator,
    source_name: form.sourceName,
    metadata: form.metadata,
  });
}

async function* partsOf(content: Buffer): AsyncGenerator<Buffer> {
  yield content;
}
