import type { ComponentContext, ToolHandle } from '@millrace/flow';
import type { MessageUsage } from '@millrace/python-text';
import type { TextWork } from '../../language-models/calls/start-text';
import { completeChat, streamChat } from '../../language-models/calls/chat-completion';
import type { ChatMessage } from '../../integrations/models/chat-message';
import type { ChatModel } from '../../integrations/models/chat-protocol';
import type { ChatAnswer } from '../../integrations/models/chat-protocol';
import { callTool } from './call-tool';
import type { StartedCall, ToolStep } from './call-tool';

export interface AgentTask {
  readonly chat: ChatModel;
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ToolHandle[];
  /** The maximum number of model calls. */
  readonly maximumModelCalls: number;
  /** Reports tool errors to the model instead of failing with them. */
  readonly toleratesToolErrors: boolean;
  /** Yields text as it arrives, including text before a tool call, which the final answer omits. */
  readonly streams: boolean;
  /** Called before each call of a tool, in the order of the calls. */
  readonly onCall?: (call: StartedCall) => void;
  /** Called with each finished step; steps of one answer in the order of its calls. */
  readonly onStep: (step: ToolStep) => void;
}

export interface AgentOutcome {
  readonly text: string;
  /** The token usage of all model calls together; null when the provider does not report it. */
  readonly usage: MessageUsage | null;
}

/**
 * Runs an agent: calls the model, makes the requested tool calls and calls the model again, until an answer requests no
 * tool calls. The tool calls of one answer run concurrently.
 */
export async function* runAgent(task: AgentTask, context: ComponentContext): TextWork<AgentOutcome> {
  const messages = [...task.messages];
  const chatOptions = { tools: task.tools };
  let usage: MessageUsage | null = null;
  let separator = '';
  for (let count = 0; count < task.maximumModelCalls; count += 1) {
    let answer: ChatAnswer;
    if (task.streams) {
      answer = yield* withSeparator(separator, streamChat(task.chat, messages, context, chatOptions));
      if (answer.text !== '') separator = '\n\n';
    } else {
      answer = await completeChat(task.chat, messages, context, chatOptions);
    }
    usage = addUsage(usage, answer.usage);
    if (answer.toolCalls.length === 0) return { text: answer.text, usage };
    const { text: content, toolCalls, reasoning } = answer;
    messages.push({ role: 'assistant', content, toolCalls, reasoning });
    const now = context.moment.next();
    const steps = await Promise.all(
      answer.toolCalls.map((call) => {
        const conditions = {
          toleratesErrors: task.toleratesToolErrors,
          at: now.concurrent(),
          onCall: task.onCall,
        };
        return callTool(task.tools, call, conditions, context);
      }),
    );
    for (const step of steps) {
      task.onStep(step);
      messages.push({ role: 'tool', callId: step.id, name: step.name, content: step.output });
    }
  }
  const limit = String(task.maximumModelCalls);
  const text = `Model call limits exceeded: run limit (${limit}/${limit})`;
  if (task.streams) yield `${separator}${text}`;
  return { text, usage };
}

/** Yields the same text with `separator` before its first piece. */
async function* withSeparator<Outcome>(separator: string, work: TextWork<Outcome>): TextWork<Outcome> {
  let before = separator;
  for (;;) {
    const next = await work.next();
    if (next.done === true) return next.value;
    yield before + next.value;
    before = '';
  }
}

function addUsage(one: MessageUsage | null, other: MessageUsage | null): MessageUsage | null {
  if (one === null || other === null) return one ?? other;
  return {
    input_tokens: (one.input_tokens ?? 0) + (other.input_tokens ?? 0),
    output_tokens: (one.output_tokens ?? 0) + (other.output_tokens ?? 0),
    total_tokens: (one.total_tokens ?? 0) + (other.total_tokens ?? 0),
  };
}
