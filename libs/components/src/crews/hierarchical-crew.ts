import { ComponentError, defineComponent, handle, listOf } from '@millrace/flow';
import { Message } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';
import { CrewMember, connectedMembers, connectedModel } from './members/crew-member';
import { connectedTasks } from './tasks/crew-task';
import { delegationTools } from './tasks/delegation-tools';
import { requireTasks, runTask } from './tasks/run-task';

export default defineComponent({
  type: 'HierarchicalCrewComponent',
  displayName: 'Hierarchical Crew',
  description: 'Runs tasks with a manager who delegates work to the members of a crew.',
  approximates: "Crews run on Millrace's agent, with different prompts; only the manager delegates.",
  inputs: {
    agents: listOf(handle({ displayName: 'Agents', inputTypes: ['Agent'] })),
    tasks: listOf(handle({ displayName: 'Tasks', inputTypes: ['HierarchicalTask'], required: true })),
    manager_llm: handle({ displayName: 'Manager LLM', inputTypes: ['LanguageModel'] }),
    manager_agent: handle({ displayName: 'Manager Agent', inputTypes: ['Agent'] }),
  },
  outputs: { output: { types: ['Message'], displayName: 'Output' } },
  deterministic: false,
  run: async (inputs, context) => {
    const tasks = connectedTasks(inputs.tasks);
    requireTasks(tasks);
    const members = connectedMembers(inputs.agents.flat());
    if (members.length === 0) throw new ComponentError('A crew needs at least one agent.');
    const manager = managerOf(inputs);
    const delegation = delegationTools(members, context);
    const answers: string[] = [];
    for (const task of tasks) {
      const tools = [...task.tools, ...delegation];
      answers.push(await runTask(manager, task.prompt(answers), tools, context));
    }
    return { output: new Message({ text: answers.at(-1) ?? '', sender: 'Machine' }) };
  },
});

/** Returns the connected manager, otherwise a default one with the connected model. */
function managerOf(inputs: {
  readonly manager_agent: PythonValue;
  readonly manager_llm: PythonValue;
}): CrewMember {
  const [connected] = connectedMembers(inputs.manager_agent);
  return (
    connected ??
    new CrewMember({
      role: 'the manager of a crew',
      goal: 'Get the task done in the best way, by giving work to those who can do it best.',
      backstory: 'You check what your colleagues give you, and put it together.',
      chat: connectedModel(inputs.manager_llm, 'the crew as its manager (or a manager agent)'),
      tools: [],
    })
  );
}
