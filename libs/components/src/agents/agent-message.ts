import { Message, jsonValue } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import { beginText, finishText } from '../language-models/begin-text';
import type { ToolStep } from './call-tool';
import { runAgent } from './run-agent';
import type { AgentTask } from './run-agent';

/** Lets an agent work and gives its answer as a message, which tells the calls it made. */
export async function agentMessage(
  task: Omit<AgentTask, 'onStep'>,
  context: ComponentContext,
): Promise<Message> {
  const steps: ToolStep[] = [];
  const work = runAgent({ ...task, onStep: (step) => steps.push(step) }, context);
  const begun = task.streams
    ? await beginText(work, ({ text }) => ({ text, contentBlocks: blocks(steps) }))
    : ({ stream: null, outcome: await finishText(work) } as const);
  const message = new Message({
    text: '',
    sender: 'Machine',
    senderName: 'AI',
    contentBlocks: blocks(steps),
  });
  const properties = { ...message.fields.properties, icon: 'Bot' };
  if (begun.stream !== null) return message.with({ stream: begun.stream, properties });
  const { text, usage } = begun.outcome;
  return message.with({ text, properties: { ...properties, usage } });
}

/** The calls as clients show them; none without calls. */
function blocks(steps: readonly ToolStep[]): readonly unknown[] {
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
