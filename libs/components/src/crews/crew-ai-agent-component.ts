import { defineComponent } from '@millrace/flow';
import { CrewMember, memberHandle, wiredModel, wiredTools } from './crew-member';
import { memberInputs } from './member-inputs';

export default defineComponent({
  type: 'CrewAIAgentComponent',
  displayName: 'CrewAI Agent',
  description: 'Describes a member of a crew: its role, its goal, its model and its tools.',
  approximates:
    'Crews are run by our own agent, with prompts of its own; members have no memory of other runs.',
  inputs: memberInputs,
  outputs: { output: { types: ['Agent'], displayName: 'Agent', tool: false } },
  deterministic: true,
  run: ({ role, goal, backstory, tools, llm }) => ({
    output: memberHandle(
      new CrewMember({
        role,
        goal,
        backstory,
        chat: wiredModel(llm, 'the agent'),
        tools: wiredTools(tools),
      }),
    ),
  }),
});
