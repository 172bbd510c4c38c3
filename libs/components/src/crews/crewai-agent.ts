import { defineComponent } from '@millrace/flow';
import { CrewMember, memberHandle, connectedModel, connectedTools } from './members/crew-member';
import { memberInputs } from './members/member-inputs';

export default defineComponent({
  type: 'CrewAIAgentComponent',
  displayName: 'CrewAI Agent',
  description: 'Describes a member of a crew: its role, its goal, its model and its tools.',
  approximates:
    "Crews run on Millrace's agent, with different prompts; members have no memory of other runs.",
  inputs: memberInputs,
  outputs: { output: { types: ['Agent'], displayName: 'Agent', tool: false } },
  deterministic: true,
  approvesTools: true,
  run: ({ role, goal, backstory, tools, llm }) => ({
    output: memberHandle(
      new CrewMember({
        role,
        goal,
        backstory,
        chat: connectedModel(llm, 'the agent'),
        tools: connectedTools(tools),
      }),
    ),
  }),
});
