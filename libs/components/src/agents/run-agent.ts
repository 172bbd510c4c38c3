import type { ComponentContext, MessageUsage, ToolHandle } from '@millrace/flow';
import type { TextWork } from '../language-models/begin-text';
import { completeChat, streamChat } from '../language-models/chat-completion';
import type { ChatMessage } from '../language-models/chat-message';
import type { ChatModel } from '../language-models/chat-model';
import type { ChatAnswer } from '../language-models/chat-protocol';
import { callTool } from './call-tool';
import type { ToolStep } from './call-tool';

export interface AgentTask {
  readonly chat: ChatModel;
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ToolHandle[];
  /** How often the model may be asked. */
  readonly maximumModelCalls: number;
  /** Tells the model what a tool failed of, instead of failing with it. */
  readonly toleratesToolErrors: boolean;
  /** Gives the text as it comes, also what the model says before it calls a tool and what its answer leaves out. */
  readonly streams: boolean;
  /** Called with each step, as soon as it is done. */
  readonly onStep: (step: ToolStep) => void;
}

export interface AgentOutcome {
  readonly text: string;
  /** What all calls of the model cost together; null when the provider does not tell. */
  readonly usage: MessageUsage | null;
}

/**
 * Lets a model work: asks it, makes the calls it wants, and asks again, until it answers without wanting more. The calls
 * of one answer are made at the same time.
 */
export async function* runAgent(task: AgentTask, context: ComponentContext): TextWork<AgentOutcome> {
  const messages = [...task.messages];
  const wishes = { tools: task.tools };
  let usage: MessageUsage | null = null;
  let separator = '';
  for (let count = 0; count < task.maximumModelCalls; count += 1) {
    let answer: ChatAnswer;
    if (task.streams) {
      answer = yield* separated(separator, streamChat(task.chat, messages, context, wishes));
      if (answer.text !== '') separator = '\n\n';
    } else {
      answer = await completeChat(task.chat, messages, context, wishes);
    }
    usage = sum(usage, answer.usage);
    if (answer.toolCalls.length === 0) return { text: answer.text, usage };
    messages.push({ role: 'assistant', content: answer.text, toolCalls: answer.toolCalls });
    const now = context.moment.next();
    const steps = await Promise.all(
      answer.toolCalls.map((call) => {
        const conditions = { toleratesErrors: task.toleratesToolErrors, at: now.beside() };
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

/** The same text with something before its first piece. */
async function* separated<Outcome>(separator: string, work: TextWork<Outcome>): TextWork<Outcome> {
  let before = separator;
  for (;;) {
    const next = await work.next();
    if (next.done === true) return next.value;
    yield before + next.value;
    before = '';
  }
}

function sum(one: MessageUsage | null, other: MessageUsage | null): MessageUsage | null {
  if (one === null || other === null) return one ?? other;
  return {
    input_tokens: (one.input_tokens ?? 0) + (other.input_tokens ?? 0),
    output_tokens: (one.output_tokens ?? 0) + (other.output_tokens ?? 0),
    total_tokens: (one.total_tokens ?? 0) + (other.total_tokens ?? 0),
  };
}
