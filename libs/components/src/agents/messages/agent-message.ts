import { jsonValue } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import { Message } from '@millrace/python-text';
import { startText, finishText } from '../../language-models/calls/start-text';
import type { ToolStep } from '../steps/call-tool';
import { runAgent } from '../steps/run-agent';
import type { AgentTask } from '../steps/run-agent';

/** Runs an agent and returns its answer as a message that lists its tool calls. */
export async function agentMessage(
  task: Omit<AgentTask, 'onStep'>,
  context: ComponentContext,
): Promise<Message> {
  const steps: ToolStep[] = [];
  const work = runAgent({ ...task, onStep: (step) => steps.push(step) }, context);
  const started = task.streams
    ? await startText(work, ({ text }) => ({ text, contentBlocks: toolCallBlocks(steps) }))
    : ({ stream: null, outcome: await finishText(work) } as const);
  const message = new Message({
    text: '',
    sender: 'Machine',
    senderName: 'AI',
    contentBlocks: toolCallBlocks(steps),
  });
  const properties = { ...message.fields.properties, icon: 'Bot' };
  if (started.stream !== null) return message.with({ stream: started.stream, properties });
  const { text, usage } = started.outcome;
  return message.with({ text, properties: { ...properties, usage } });
}

/** Returns the tool calls as content blocks for clients; an empty list without calls. */
function toolCallBlocks(steps: readonly ToolStep[]): readonly unknown[] {
  if (steps.length === 0) return [];
  const contents = steps.map(({ name, input, output, failed, milliseconds }) => ({
    type: 'tool_use',
    duration: milliseconds,
    header: { title: `Executed **${name}**`, icon: 'Hammer' },
    name,
    tool_input: jsonValue(input),
    output: failed ? null : output,
    error: failed ? output : null,
  }));
  return [{ title: 'Agent Steps', contents, allow_markdown: true, media_url: null }];
}
