import { ATTEMPT_HEADER, SEQUENCE_HEADER, STATUS_HEADER } from '@millrace/messages';
import type { BrokerNames, Job, ReplyType, RunEnd, SUSPENDED } from '@millrace/messages';
import { execute, noResources } from '@millrace/engine';
import { compile, parseFlowDocument, RunError } from '@millrace/flow';
import type { ComponentRegistry, RunRequest } from '@millrace/flow';
import type { Consumer, Delivery, MessageBus } from '@millrace/messaging';
import type { FlowStore, MessageRow, RunStore } from '@millrace/runs';
import { jsonDumpsCompactAscii } from '@millrace/python-text';
import type { MessageFields } from '@millrace/python-text';

export interface TestExecutorOptions {
  readonly bus: MessageBus;
  readonly names: BrokerNames;
  readonly flows: FlowStore;
  readonly runs: RunStore;
  readonly registry: ComponentRegistry;
  readonly pool?: string;
}

/** A job that a test handles itself. */
export interface TakenJob {
  readonly job: Job;
  readonly delivery: Delivery;
  events(events: readonly unknown[], attempt?: number): Promise<void>;
  final(status: RunEnd | typeof SUSPENDED, body: unknown, attempt?: number): Promise<void>;
}

/**
 * A minimal executor: runs each job with the engine, replies, records the run and reports the record. A durable run is
 * recorded before the reply.
 */
export class TestExecutor {
  readonly #options: TestExecutorOptions;
  readonly jobs: Job[] = [];
  /** Set by a test that handles jobs itself. */
  handleJob: ((takenJob: TakenJob) => Promise<void>) | null = null;
  /** Resolves a payload reference to the request. */
  resolvePayload: ((key: string) => Promise<string | null>) | null = null;
  #consumer: Consumer | null = null;
  #sequences = new Map<string, number>();

  constructor(options: TestExecutorOptions) {
    this.#options = options;
  }

  async start(): Promise<this> {
    const { bus, names, pool = 'default' } = this.#options;
    this.#consumer = await bus.consume(
      names.lane('interactive', pool),
      { prefetch: 100 },
      async (delivery) => {
        const job = JSON.parse(delivery.body.toString()) as Job;
        this.jobs.push(job);
        await (this.handleJob ?? ((takenJob: TakenJob) => this.#run(takenJob)))(
          this.#takenJob(job, delivery),
        );
        return 'done';
      },
    );
    return this;
  }

  async stop(): Promise<void> {
    await this.#consumer?.close();
    this.#consumer = null;
  }

  #takenJob(job: Job, delivery: Delivery): TakenJob {
    return {
      job,
      delivery,
      events: (events, attempt = 1) => {
        const lines = events.map((event) => `${jsonDumpsCompactAscii(event as never)}\n`).join('');
        return this.#reply(delivery, 'events', lines, attempt);
      },
      final: (status, body, attempt = 1) =>
        this.#reply(delivery, 'final', JSON.stringify(body), attempt, { [STATUS_HEADER]: status }),
    };
  }

  async #run({ job, delivery, events, final }: TakenJob): Promise<void> {
    const request = await this.#requestOf(job);
    const startedAt = new Date();
    const { flows, registry } = this.#options;
    const document = await flows.document(job.flowId, job.flowVersion);
    const plan = compile(parseFlowDocument(document), {
      flowId: job.flowId,
      version: job.flowVersion,
      registry,
    });
    const messages: MessageRow[] = [];
    let status: RunEnd = 'succeeded';
    let body: unknown;
    try {
      body = await execute(plan, request, {
        runId: job.runId,
        attempt: 1,
        userId: job.userId,
        signal: new AbortController().signal,
        deadline: job.deadline ?? Date.now() + 60_000,
        limits: { maximumVertices: 1_000, maximumOutputBytes: 1_000_000 },
        messages: {
          store: async ({ fields }) => {
            messages.push(messageRow(job, fields));
          },
          read: async () => [],
        },
        fetch,
        resources: noResources,
        variable: async () => undefined,
        emit: (event) => (request.stream ? events([event]) : undefined),
      });
    } catch (error) {
      if (!(error instanceof RunError)) throw error;
      status = 'failed';
      body = { code: error.code, message: error.message, vertex: error.vertex, problems: error.problems };
    }
    const record = () => this.#record(job, request, { status, body, messages, startedAt });
    if (job.durable) {
      await record();
      return final(status, body);
    }
    await final(status, body);
    await record();
    await this.#reply(delivery, 'recorded', JSON.stringify([job.runId]), 1);
  }

  async #requestOf(job: Job): Promise<RunRequest> {
    if (job.request) return job.request as RunRequest;
    const text = job.claimCheck && (await this.resolvePayload?.(job.claimCheck));
    if (text) return JSON.parse(text) as RunRequest;
    const record = await this.#options.runs.find(job.userId, job.runId);
    if (!record?.request) throw new Error('the job has no request');
    return record.request;
  }

  async #record(
    job: Job,
    request: RunRequest,
    end: { status: RunEnd; body: unknown; messages: readonly MessageRow[]; startedAt: Date },
  ): Promise<void> {
    const result = end.status === 'succeeded' ? JSON.stringify(end.body) : null;
    const failure = end.status === 'succeeded' ? null : (end.body as never);
    const { runs } = this.#options;
    if (job.durable) {
      await runs.claim([{ runId: job.runId, worker: 'test', redelivered: false }]);
      await runs.complete([
        { runId: job.runId, attempt: 1, status: end.status, result, failure, messages: end.messages },
      ]);
      return;
    }
    await runs.record([
      {
        id: job.runId,
        flowId: job.flowId,
        flowVersion: job.flowVersion,
        userId: job.userId,
        lane: job.lane,
        pool: job.pool,
        origin: 'run',
        request,
        sessionId: request.sessionId,
        limitMilliseconds: 60_000,
        maximumAttempts: 3,
        attempt: 1,
        worker: 'test',
        status: end.status,
        result,
        failure,
        startedAt: end.startedAt,
        finishedAt: new Date(),
        acceptedAt: new Date(job.acceptedAt),
        messages: end.messages,
      },
    ]);
  }

  async #reply(
    delivery: Delivery,
    type: ReplyType,
    body: string,
    attempt: number,
    headers: Record<string, string> = {},
  ): Promise<void> {
    if (!delivery.replyTo || !delivery.correlationId) return;
    const counter = `${delivery.correlationId} ${attempt}`;
    const sequence = this.#sequences.get(counter) ?? 0;
    this.#sequences.set(counter, sequence + 1);
    await this.#options.bus.publish({
      exchange: '',
      routingKey: delivery.replyTo,
      body: Buffer.from(body),
      persistent: false,
      mandatory: false,
      correlationId: delivery.correlationId,
      type,
      headers: { ...headers, [ATTEMPT_HEADER]: attempt, [SEQUENCE_HEADER]: sequence },
    });
  }
}

function messageRow(job: Job, fields: MessageFields): MessageRow {
  return {
    id: fields.id ?? '',
    flowId: job.flowId,
    userId: job.userId,
    sessionId: fields.sessionId,
    contextId: fields.contextId ?? '',
    runId: job.runId,
    timestamp: new Date(),
    sender: fields.sender ?? '',
    senderName: fields.senderName ?? '',
    text: fields.text,
    files: fields.files,
    error: fields.error,
    edit: fields.edit,
    properties: fields.properties,
    category: fields.category,
    contentBlocks: fields.contentBlocks,
    duration: fields.duration,
    sessionMetadata: fields.sessionMetadata,
  };
}
