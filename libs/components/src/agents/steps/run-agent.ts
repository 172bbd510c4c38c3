import { createHash } from 'node:crypto';
import { RunSuspension, toolCallSuffix, withinToolCall } from '@millrace/flow';
import type { ComponentContext, ToolHandle } from '@millrace/flow';
import type { MessageUsage } from '@millrace/python-text';
import type { TextWork } from '../../language-models/calls/start-text';
import { completeChat, streamChat } from '../../language-models/calls/chat-completion';
import type { ChatMessage } from '../../integrations/models/chat-message';
import type { ChatModel } from '../../integrations/models/chat-protocol';
import type { ChatAnswer } from '../../integrations/models/chat-protocol';
import { plain, recordedStep } from '../../integrations/recorded-step';
import { answeredStep, approveCalls } from './approve-calls';
import { callTool } from './call-tool';
import type { StartedCall, ToolStep } from './call-tool';

export interface AgentTask {
  /** The output of the agent's vertex that the task is for; null if the conversation is the same in each attempt. */
  readonly output: string | null;
  readonly chat: ChatModel;
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ToolHandle[];
  /** The maximum number of model calls. */
  readonly maximumModelCalls: number;
  /** Reports tool errors to the model instead of failing with them. */
  readonly toleratesToolErrors: boolean;
  /**
   * Yields text as it arrives, including text before a tool call, which the final answer omits. Not for tools that
   * can wait for a person.
   */
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
  // A later attempt continues the conversation as it began, whatever the session contains by then.
  const begun =
    task.output === null
      ? task
      : await recordedStep(
          context,
          () => `conversation of ${task.output}`,
          async () => ({ messages: task.messages }),
        );
  // Several conversations can be of one vertex.
  const scope = task.output ?? digestOf([task.messages, toolCallSuffix()]);
  const messages = [...begun.messages];
  const chatOptions = { tools: task.tools };
  const made = new Map<string, number>();
  let usage: MessageUsage | null = null;
  let separator = '';
  for (let count = 0; count < task.maximumModelCalls; count += 1) {
    const name = context.recordsEffects ? `model ${scope} ${count + 1} ${digestOf(messages)}` : '';
    const earlier = context.recordsEffects ? await context.findStep(name) : undefined;
    let answer: ChatAnswer;
    if (task.streams && earlier === undefined) {
      answer = yield* withSeparator(separator, streamChat(task.chat, messages, context, chatOptions));
    } else {
      answer =
        (earlier as ChatAnswer | undefined) ??
        (await completeChat(task.chat, messages, context, chatOptions));
      if (task.streams && answer.text !== '') yield separator + answer.text;
    }
    if (earlier === undefined && context.recordsEffects) await context.recordStep(name, plain(answer));
    if (task.streams && answer.text !== '') separator = '\n\n';
    usage = addUsage(usage, answer.usage);
    if (answer.toolCalls.length === 0) return { text: answer.text, usage };
    const { text: content, reasoning } = answer;
    const calls = approveCalls({ tools: task.tools, scope }, answer.toolCalls, count + 1, context);
    messages.push({ role: 'assistant', content, toolCalls: calls.map(({ call }) => call), reasoning });
    const now = context.moment.next();
    const steps = await allSteps(
      calls.map((decided, index) => {
        const { call } = decided;
        if (decided.kind === 'answer') return answeredStep(decided, task.onCall);
        const conditions = {
          toleratesErrors: task.toleratesToolErrors,
          at: now.concurrent(),
          onCall: task.onCall,
        };
        const work = () => callTool(task.tools, call, conditions, context);
        if (!context.recordsEffects) return work();
        const equal = digestOf([call.name, call.argumentsText]);
        const times = (made.get(equal) ?? 0) + 1;
        made.set(equal, times);
        const step = () => `tool ${scope} ${count + 1}.${index + 1} ${digestOf(call)}`;
        return recordedStep(context, step, () =>
          withinToolCall({ caller: context.place, call: equal, count: times }, work),
        );
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

/**
 * Returns the steps of calls. When one of them waits for a person the others end first, and are recorded: the next attempt makes
 * that call again, and no other.
 */
async function allSteps(calls: readonly (ToolStep | Promise<ToolStep>)[]): Promise<readonly ToolStep[]> {
  const ends = await Promise.all(
    calls.map((call) =>
      Promise.resolve(call).catch((error: unknown) => {
        if (error instanceof RunSuspension) return error;
        throw error;
      }),
    ),
  );
  const requests = ends.flatMap((end) => (end instanceof RunSuspension ? end.requests : []));
  if (requests.length > 0) throw new RunSuspension(requests);
  return ends.flatMap((end) => (end instanceof RunSuspension ? [] : [end]));
}

/** Identifies what a step is about: a further attempt that asks something else does it again. */
function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16);
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
