import { ComponentError, defineComponent, handle, listOf, Message } from '@millrace/flow';
import type { PythonValue } from '@millrace/flow';
import { CrewMember, wiredMembers, wiredModel } from './crew-member';
import { wiredTasks } from './crew-task';
import { delegationTools } from './delegation-tools';
import { requireTasks, runTask } from './run-task';

export default defineComponent({
  type: 'HierarchicalCrewComponent',
  displayName: 'Hierarchical Crew',
  description: 'Has a manager get tasks done, who gives work to the members of a crew.',
  approximates: 'Crews are run by our own agent, with prompts of its own; only the manager delegates.',
  inputs: {
    agents: listOf(handle({ displayName: 'Agents', inputTypes: ['Agent'] })),
    tasks: listOf(handle({ displayName: 'Tasks', inputTypes: ['HierarchicalTask'], required: true })),
    manager_llm: handle({ displayName: 'Manager LLM', inputTypes: ['LanguageModel'] }),
    manager_agent: handle({ displayName: 'Manager Agent', inputTypes: ['Agent'] }),
  },
  outputs: { output: { types: ['Message'], displayName: 'Output' } },
  deterministic: false,
  run: async (inputs, context) => {
    const tasks = wiredTasks(inputs.tasks);
    requireTasks(tasks);
    const members = wiredMembers(inputs.agents.flat());
    if (members.length === 0) throw new ComponentError('A crew needs at least one agent.');
    const manager = managerOf(inputs);
    const delegation = delegationTools(members, context);
    const answers: string[] = [];
    for (const task of tasks) {
      const tools = [...task.tools, ...delegation];
      answers.push(await runTask(manager, task.question(answers), tools, context));
    }
    return { output: new Message({ text: answers.at(-1) ?? '', sender: 'Machine' }) };
  },
});

/** The manager that is wired, else one of our own with the wired model. */
function managerOf(inputs: {
  readonly manager_agent: PythonValue;
  readonly manager_llm: PythonValue;
}): CrewMember {
  const [wired] = wiredMembers(inputs.manager_agent);
  return (
    wired ??
    new CrewMember({
      role: 'the manager of a crew',
      goal: 'Get the task done in the best way, by giving work to those who can do it best.',
      backstory: 'You check what your colleagues give you, and put it together.',
      chat: wiredModel(inputs.manager_llm, 'the crew as its manager (or a manager agent)'),
      tools: [],
    })
  );
}
