import { ComponentError } from '@millrace/flow';
import type { ComponentContext, ToolHandle } from '@millrace/flow';
import { agentTools } from '../../agents/steps/agent-tools';
import { conversation } from '../../agents/messages/conversation';
import { runAgent } from '../../agents/steps/run-agent';
import { finishText } from '../../language-models/calls/start-text';
import type { CrewMember } from '../members/crew-member';

/** The maximum number of model calls for one task. */
const maximumModelCalls = 25;

/** Returns a member's answer to a question. The member can use its own tools and the given ones. */
export async function runTask(
  member: CrewMember,
  prompt: string,
  tools: readonly ToolHandle[],
  context: ComponentContext,
): Promise<string> {
  const task = {
    output: null,
    chat: member.chat,
    messages: conversation(member.instructions, [], prompt),
    tools: agentTools([...member.tools, ...tools], [], context),
    maximumModelCalls,
    toleratesToolErrors: true,
    streams: false,
    onStep: () => undefined,
  };
  return (await finishText(runAgent(task, context))).text;
}

/** Throws a ComponentError when there are no tasks. */
export function requireTasks(tasks: readonly unknown[]): void {
  if (tasks.length === 0) throw new ComponentError('A crew needs at least one task.');
}
