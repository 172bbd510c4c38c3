import { ComponentError } from '@millrace/flow';
import type { ComponentContext, ToolHandle } from '@millrace/flow';
import { agentTools } from '../agents/agent-tools';
import { conversation } from '../agents/conversation';
import { runAgent } from '../agents/run-agent';
import { finishText } from '../language-models/begin-text';
import type { CrewMember } from './crew-member';

/** How often the model may be asked for one task. */
const maximumModelCalls = 25;

/** Has a member of a crew answer a question, with its tools and these. */
export async function runTask(
  member: CrewMember,
  question: string,
  tools: readonly ToolHandle[],
  context: ComponentContext,
): Promise<string> {
  const task = {
    chat: member.chat,
    messages: conversation(member.instructions, [], question, []),
    tools: agentTools([...member.tools, ...tools], [], context),
    maximumModelCalls,
    toleratesToolErrors: true,
    streams: false,
    onStep: () => undefined,
  };
  return (await finishText(runAgent(task, context))).text;
}

/** Throws a ComponentError when there is nothing to do. */
export function requireTasks(tasks: readonly unknown[]): void {
  if (tasks.length === 0) throw new ComponentError('A crew needs at least one task.');
}
