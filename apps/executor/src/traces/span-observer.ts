import { SpanKind } from '@opentelemetry/api';
import type { ObservedVertex, RunObserver, VertexExecution, VertexRecord } from '@millrace/engine';
import type {
  ObservedDocuments,
  ObservedModelAnswer,
  ObservedModelCall,
  ObservedRetrieval,
  ObservedStep,
  ObservedToolCall,
} from '@millrace/flow';
import type { PythonObject } from '@millrace/python-text';
import { SecretMask } from '../secret-mask';
import { boundedText } from './message-content';
import type { Redact } from './message-content';
import { modelCallSpan } from './model-call-span';
import type { OpenSpans, SpanStep } from './open-spans';

const MAXIMUM_ERROR_CHARACTERS = 1_000;

export interface SpanObserverOptions {
  readonly spans: OpenSpans;
  /** Whether prompts, answers, arguments and queries are recorded. */
  readonly capturesContent: boolean;
}

/** Records the steps of a run as spans, named by the semantic conventions for generative AI. */
export class SpanObserver implements RunObserver {
  readonly #options: SpanObserverOptions;

  constructor(options: SpanObserverOptions) {
    this.#options = options;
  }

  vertex(execution: VertexExecution): ObservedVertex {
    const { vertex, flowId, part } = execution;
    const { spans } = this.#options;
    const redact = redactionOf(execution);
    const step = spans.begin<VertexRecord>({
      name: `vertex ${vertex.displayName}`,
      attributes: {
        'millrace.vertex.id': vertex.id,
        'millrace.vertex.name': vertex.displayName,
        'millrace.vertex.type': vertex.type,
        'millrace.vertex.execution': execution.execution,
        // A vertex of a flow that runs as part of this one.
        ...(part === '' ? {} : { 'millrace.flow.id': flowId, 'millrace.run.part': part }),
      },
      describe: ({ reused }) => (reused ? { 'millrace.vertex.reused': true } : {}),
      textOf: (error) => errorTextOf(error, redact),
    });
    return new VertexSpan(step, this.#options, redact);
  }
}

/** Hides what records of the run hide. The run learns its secrets while it goes on, so each text is masked anew. */
function redactionOf({ run }: VertexExecution): Redact {
  return (text) => new SecretMask(run.secrets()).start(text, Infinity);
}

/** A secret can be cut by the limit, so the text is redacted first. */
function errorTextOf(error: unknown, redact: Redact): string {
  return redact(error instanceof Error ? error.message : String(error)).slice(0, MAXIMUM_ERROR_CHARACTERS);
}

/** Redacts before it writes JSON, which escapes quotation marks. */
function argumentsText(given: PythonObject, redact: Redact): string {
  const text = JSON.stringify(given, (_, value: unknown) =>
    typeof value === 'string' ? redact(value) : value,
  );
  return boundedText(text, (redacted) => redacted);
}

class VertexSpan implements ObservedVertex {
  readonly #step: SpanStep<VertexRecord>;
  readonly #spans: OpenSpans;
  /** Null when content is not recorded. */
  readonly #redact: Redact | null;

  constructor(step: SpanStep<VertexRecord>, { spans, capturesContent }: SpanObserverOptions, redact: Redact) {
    this.#step = step;
    this.#spans = spans;
    this.#redact = capturesContent ? redact : null;
  }

  within<Value>(work: () => Value): Value {
    return this.#step.within(work);
  }

  succeeded(record: VertexRecord): void {
    this.#step.succeeded(record);
  }

  failed(error: unknown): void {
    this.#step.failed(error);
  }

  modelCall(call: ObservedModelCall): ObservedStep<ObservedModelAnswer> {
    return this.#spans.begin(modelCallSpan(call, this.#redact));
  }

  toolCall({ id, name, description, arguments: given }: ObservedToolCall): ObservedStep<string> {
    const redact = this.#redact;
    return this.#spans.begin<string>({
      name: `execute_tool ${name}`,
      kind: SpanKind.INTERNAL,
      attributes: {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': name,
        'gen_ai.tool.type': 'function',
        ...(id === '' ? {} : { 'gen_ai.tool.call.id': id }),
        ...(description === ''
          ? {}
          : { 'gen_ai.tool.description': boundedText(description, (text) => text) }),
        ...(redact === null ? {} : { 'gen_ai.tool.call.arguments': argumentsText(given, redact) }),
      },
      describe: (result) =>
        redact === null ? {} : { 'gen_ai.tool.call.result': boundedText(result, redact) },
    });
  }

  retrieval({ store, query, limit }: ObservedRetrieval): ObservedStep<ObservedDocuments> {
    const redact = this.#redact;
    return this.#spans.begin<ObservedDocuments>({
      name: `retrieval ${store}`,
      kind: SpanKind.CLIENT,
      attributes: {
        'gen_ai.operation.name': 'retrieval',
        'gen_ai.retrieval.top_k': limit,
        'millrace.retrieval.store': store,
        ...(redact === null ? {} : { 'gen_ai.retrieval.query.text': boundedText(query, redact) }),
      },
      describe: ({ count }) => ({ 'millrace.retrieval.documents': count }),
    });
  }
}
