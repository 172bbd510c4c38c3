import { ComponentError, Data, isDict } from '@millrace/flow';
import type { ComponentContext, PythonObject } from '@millrace/flow';
import { finishText } from '../language-models/begin-text';
import { completeStructured, parsedAnswer } from '../language-models/complete-structured';
import {
  answerSchema,
  answeredObjects,
  schemaFields,
  structuredData,
} from '../language-models/output-schema';
import type { SchemaField } from '../language-models/output-schema';
import { runAgent } from './run-agent';
import type { AgentTask } from './run-agent';

/** What an agent is told when it has to answer with data. */
export const defaultFormatInstructions =
  'Answer with JSON and nothing else. Where you do not know a value, give null.';

/**
 * An agent's answer as data. Without tools the model is made to keep to the schema, with tools it is asked to. An answer
 * that is no JSON is given as it is, under "content".
 */
export async function structuredResponse(
  task: Omit<AgentTask, 'onStep' | 'streams' | 'messages'>,
  /** The conversation, given what the agent is told besides. */
  converse: (instructions: string) => AgentTask['messages'],
  { instructions, rows }: { readonly instructions: string; readonly rows: readonly PythonObject[] },
  context: ComponentContext,
): Promise<Data> {
  // A table of an older node may hold one row that says nothing.
  const fields = schemaFields(rows.filter(({ name }) => typeof name === 'string' && name !== ''));
  try {
    if (fields.length > 0 && task.tools.length === 0) {
      const shape = { name: 'OutputModel', schema: answerSchema(fields) };
      const answer = await completeStructured(task.chat, converse(instructions), shape, context);
      return structuredData(answeredObjects(answer, fields));
    }
    const messages = converse(withSchema(instructions, fields));
    const work = runAgent({ ...task, messages, streams: false, onStep: () => undefined }, context);
    return readAnswer((await finishText(work)).text, fields);
  } catch (error) {
    if (!(error instanceof ComponentError)) throw error;
    return new Data({ content: '', error: error.message });
  }
}

function withSchema(instructions: string, fields: readonly SchemaField[]): string {
  if (fields.length === 0) return instructions;
  return `${instructions}\n\nThe JSON keeps to this schema:\n${JSON.stringify(answerSchema(fields))}`;
}

function readAnswer(text: string, fields: readonly SchemaField[]): Data {
  const answer = parsedAnswer(text);
  if (answer === null) return new Data({ content: text, error: 'Could not parse as JSON' });
  if (fields.length > 0) return structuredData(answeredObjects(answer, fields));
  return new Data(isDict(answer) ? answer : { results: answer });
}
