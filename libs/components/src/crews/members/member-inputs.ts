import { boolean, handle, listOf, text } from '@millrace/flow';

/** The inputs that describe a member of a crew. */
export const memberInputs = {
  role: text({ displayName: 'Role', multiline: true }),
  goal: text({ displayName: 'Goal', multiline: true }),
  backstory: text({ displayName: 'Backstory', multiline: true }),
  tools: listOf(handle({ displayName: 'Tools', inputTypes: ['Tool'] })),
  llm: handle({ displayName: 'Language Model', inputTypes: ['LanguageModel'] }),
  allow_delegation: boolean({ displayName: 'Allow Delegation', default: true, advanced: true }),
};

/** The inputs that describe a task. */
export const taskInputs = {
  task_description: text({ displayName: 'Description', multiline: true }),
  expected_output: text({ displayName: 'Expected Output', multiline: true }),
};
