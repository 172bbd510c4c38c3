import { SpanKind } from '@opentelemetry/api';
import type { Attributes } from '@opentelemetry/api';
import type { ObservedModelAnswer, ObservedModelCall } from '@millrace/flow';
import { inputMessages, outputMessages } from './message-content';
import type { StepSpan } from './open-spans';
import { providerName } from './provider-name';

/** Members of a request's body that have an attribute of their own. */
const PARAMETERS: Readonly<Record<string, string>> = {
  temperature: 'gen_ai.request.temperature',
  top_p: 'gen_ai.request.top_p',
  max_tokens: 'gen_ai.request.max_tokens',
  max_completion_tokens: 'gen_ai.request.max_tokens',
  seed: 'gen_ai.request.seed',
  dimensions: 'gen_ai.embeddings.dimension.count',
};

/** Describes a call of a model as a client span. `redact` is null when messages must not be recorded. */
export function modelCallSpan(
  call: ObservedModelCall,
  redact: ((text: string) => string) | null,
): StepSpan<ObservedModelAnswer> {
  return {
    name: `${call.operation} ${call.model}`,
    kind: SpanKind.CLIENT,
    attributes: {
      'gen_ai.operation.name': call.operation,
      'gen_ai.provider.name': providerName(call.provider),
      'gen_ai.request.model': call.model,
      ...(call.streams ? { 'gen_ai.request.stream': true } : {}),
      ...parametersOf(call),
      ...addressOf(call),
      ...(redact !== null && call.messages.length > 0
        ? { 'gen_ai.input.messages': inputMessages(call.messages, redact) }
        : {}),
    },
    describe: (answer) => ({
      ...answerAttributes(answer),
      ...(redact !== null && call.operation === 'chat'
        ? { 'gen_ai.output.messages': outputMessages(answer, redact) }
        : {}),
    }),
  };
}

function answerAttributes({ model, finishReason, usage }: ObservedModelAnswer): Attributes {
  return {
    ...(model === null ? {} : { 'gen_ai.response.model': model }),
    ...(finishReason === null ? {} : { 'gen_ai.response.finish_reasons': [finishReason] }),
    ...(usage?.input_tokens == null ? {} : { 'gen_ai.usage.input_tokens': usage.input_tokens }),
    ...(usage?.output_tokens == null ? {} : { 'gen_ai.usage.output_tokens': usage.output_tokens }),
  };
}

function parametersOf({ parameters }: ObservedModelCall): Attributes {
  const attributes: Attributes = {};
  for (const [name, attribute] of Object.entries(PARAMETERS)) {
    const value = parameters[name];
    if (typeof value === 'number') attributes[attribute] = value;
  }
  return attributes;
}

/** Host and port only: an address can contain a key. */
function addressOf({ address }: ObservedModelCall): Attributes {
  if (!URL.canParse(address)) return {};
  const { hostname, port, protocol } = new URL(address);
  const known = protocol === 'https:' ? 443 : 80;
  return { 'server.address': hostname, 'server.port': port === '' ? known : Number(port) };
}
