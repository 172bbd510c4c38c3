import { ComponentError } from '@millrace/flow';
import type { ComponentContext, ToolHandle } from '@millrace/flow';
import { Message } from '@millrace/python-text';
import { failingWith, finishText, startText } from '../../language-models/calls/start-text';
import { runAgent } from '../steps/run-agent';
import type { AgentTask } from '../steps/run-agent';
import { agentFailure } from './agent-failure';
import { AgentProgress } from './agent-progress';
import { AgentSteps } from './agent-steps';

/**
 * Runs an agent and returns its answer as a message that lists its tool calls; with `showsTexts`, with the texts of tools in
 * place of their messages, as older agents do.
 */
export async function agentMessage(
  given: Omit<AgentTask, 'output' | 'onCall' | 'onStep'>,
  context: ComponentContext,
  shown: { readonly showsTexts: boolean } = { showsTexts: false },
): Promise<Message> {
  const streams = given.streams && !(await mayWait(given.tools));
  const task = { ...given, output: 'response', streams };
  const steps = new AgentSteps(context.langflow, { ...shown, isSpoken: context.feeds('ChatOutput') });
  // Messages that its tools store come behind it.
  const { sessionId } = context.run;
  const empty = context.beginMessage(
    new Message({ text: '', sender: 'Machine', senderName: 'AI', sessionId }),
  );
  const message = empty.with({ properties: { ...empty.fields.properties, icon: 'Bot' } });
  const progress = new AgentProgress(context, steps, task.streams ? message : null);
  const work = failingWith(
    runAgent(
      {
        ...task,
        onCall: (call) => {
          steps.start(call);
          progress.start(call);
        },
        onStep: (step) => {
          steps.finish(step);
          progress.finish(step);
        },
      },
      context,
    ),
    (error) => {
      progress.remove();
      return error instanceof ComponentError ? agentFailure(error) : error;
    },
  );
  const started = task.streams
    ? await startText(work, ({ text }) => ({ text, contentBlocks: steps.blocks(text) }))
    : ({ stream: null, outcome: await finishText(work) } as const);
  if (started.stream !== null)
    return message.with({ stream: started.stream, contentBlocks: steps.blocks(null) });
  const { text, usage } = started.outcome;
  const properties = { ...message.fields.properties, usage };
  return message.with({ text, contentBlocks: steps.blocks(text), properties });
}

/** Whether a call of one of the tools can wait for a person: a text that a caller has received cannot be taken back. */
async function mayWait(tools: readonly ToolHandle[]): Promise<boolean> {
  if (tools.some(({ approvals = [] }) => approvals.length > 0)) return true;
  for (const { mayAsk } of tools) if (await mayAsk?.()) return true;
  return false;
}
