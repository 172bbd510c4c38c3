import type {
  ObservedMessage,
  ObservedModelAnswer,
  ObservedModelCall,
  ObservedToolCall,
} from '@millrace/flow';

const NO_MESSAGES: readonly ObservedMessage[] = [];

/** A call of a model or a tool by a vertex. It only refers to values. */
export class RecordedCall {
  readonly kind: 'model' | 'tool';
  /** The model or the tool. */
  readonly name: string;
  /** Empty for a tool. */
  readonly provider: string;
  /** What a model is asked. An agent can add to the list after the call. */
  readonly messages: readonly ObservedMessage[];
  readonly messageCount: number;
  /** What a tool is given; null for a model. */
  readonly arguments: ObservedToolCall['arguments'] | null;
  readonly began = performance.now();
  /** Null while it goes on. */
  ended: number | null = null;
  answer: Pick<ObservedModelAnswer, 'text' | 'toolCalls'> | null = null;
  result: string | null = null;
  error: unknown = null;
  tokens: { readonly input: number; readonly output: number } | null = null;
  /** In US dollars; null when it is not known. */
  cost: number | null = null;

  constructor(of: { readonly model: ObservedModelCall } | { readonly tool: ObservedToolCall }) {
    const model = 'model' in of ? of.model : null;
    const tool = 'tool' in of ? of.tool : null;
    this.kind = model ? 'model' : 'tool';
    this.name = model?.model ?? tool?.name ?? '';
    this.provider = model?.provider ?? '';
    this.messages = model?.messages ?? NO_MESSAGES;
    this.messageCount = this.messages.length;
    this.arguments = tool?.arguments ?? null;
  }

  end(): void {
    this.ended = performance.now();
  }

  fail(error: unknown): void {
    this.error = error;
    this.end();
  }
}
