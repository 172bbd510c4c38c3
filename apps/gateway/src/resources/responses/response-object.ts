import { firstMessageOf, firstShownTextOf } from '@millrace/flow';
import type { RunResponse } from '@millrace/flow';
import { machineTime } from '@millrace/service';
import type { ResponseRequest } from './response-request';
import { toolCallItems } from './tool-call-items';

/** Returns the whole answer in the shape of OpenAI's Responses. */
export function responseObject(
  { id, model, previousId, showsResults }: ResponseRequest,
  run: RunResponse,
): Record<string, unknown> {
  const content = [{ type: 'output_text', text: firstShownTextOf(run), annotations: [] }];
  return {
    id,
    object: 'response',
    created_at: currentUnixSeconds(),
    status: 'completed',
    error: null,
    incomplete_details: null,
    instructions: null,
    max_output_tokens: null,
    model,
    output: [
      ...toolCallItems(run, showsResults),
      { type: 'message', id: `msg_${id}`, status: 'completed', role: 'assistant', content },
    ],
    parallel_tool_calls: true,
    previous_response_id: previousId,
    reasoning: { effort: null, summary: null },
    store: true,
    temperature: 1,
    text: { format: { type: 'text' } },
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
    truncation: 'disabled',
    usage: usageOf(run),
    user: null,
    metadata: {},
  };
}

/** Returns the body for a failed response, which is sent with status 200 as in Langflow. */
export function responseFailure(message: string, type: string, code?: string): Record<string, unknown> {
  return { error: { message, type, ...(code === undefined ? {} : { code }) } };
}

/** Returns the token usage of the model calls in OpenAI's shape; null when it is unknown. */
export function usageOf(run: RunResponse): Record<string, unknown> | null {
  const usage = member(member(firstMessageOf(run), 'properties'), 'usage');
  const [input, output, total] = ['input_tokens', 'output_tokens', 'total_tokens'].map((name) =>
    member(usage, name),
  );
  if (typeof input !== 'number' && typeof output !== 'number') return null;
  return { input_tokens: input ?? null, output_tokens: output ?? null, total_tokens: total ?? null };
}

export function currentUnixSeconds(): number {
  return Math.floor(machineTime() / 1000);
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
