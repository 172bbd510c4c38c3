import { ComponentError, isDict } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import { Data } from '@millrace/python-text';
import type { PythonObject } from '@millrace/python-text';
import { finishText } from '../../language-models/calls/start-text';
import { completeStructured, parsedAnswer } from '../../language-models/calls/complete-structured';
import {
  answerShape,
  answeredObjects,
  schemaFields,
  structuredData,
} from '../../language-models/calls/output-schema';
import type { SchemaField } from '../../language-models/calls/output-schema';
import { runAgent } from '../steps/run-agent';
import type { AgentTask } from '../steps/run-agent';
import { agentFailure } from './agent-failure';

/** The default instructions for an answer as data. */
export const defaultFormatInstructions =
  'Answer with JSON and nothing else. Where you do not know a value, give null.';

/**
 * Returns an agent's answer as data. Without tools the provider enforces the schema; with tools the prompt asks for it.
 * An answer that is not JSON is returned unchanged under "content". Without a schema the model is not asked: the input is
 * the content, as in Langflow.
 */
export async function structuredResponse(
  task: Omit<AgentTask, 'output' | 'onStep' | 'streams' | 'messages'>,
  /** Returns the conversation with additional instructions. */
  buildMessages: (instructions: string) => AgentTask['messages'],
  {
    instructions,
    rows,
    input,
  }: { readonly instructions: string; readonly rows: readonly PythonObject[]; readonly input: string },
  context: ComponentContext,
): Promise<Data> {
  if (rows.length === 0) return new Data({ content: input });
  // The table of an older node can contain one empty row.
  const fields = schemaFields(rows.filter(({ name }) => typeof name === 'string' && name !== ''));
  const isEnforced = fields.length > 0 && task.tools.length === 0;
  try {
    if (isEnforced) {
      const asked = buildMessages(instructions);
      const answer = await completeStructured(task.chat, asked, answerShape(fields), context);
      return structuredData(answeredObjects(answer, fields));
    }
    const messages = buildMessages(withSchema(instructions, fields));
    const work = runAgent(
      { ...task, output: 'structured_response', messages, streams: false, onStep: () => undefined },
      context,
    );
    return parseAnswer((await finishText(work)).text, fields);
  } catch (error) {
    // As in Langflow, an error is data, except that of a client which enforces the schema.
    if (!(error instanceof ComponentError) || (isEnforced && error.kind !== 'ValueError')) throw error;
    return new Data({ content: '', error: isEnforced ? error.message : agentFailure(error).message });
  }
}

function withSchema(instructions: string, fields: readonly SchemaField[]): string {
  if (fields.length === 0) return instructions;
  return `${instructions}\n\nThe JSON follows this schema:\n${JSON.stringify(answerShape(fields).schema)}`;
}

function parseAnswer(text: string, fields: readonly SchemaField[]): Data {
  const answer = parsedAnswer(text);
  if (answer === null) {
    // The text of Langflow, also where there is a schema.
    return new Data({ content: text, error: 'Try setting an output schema' });
  }
  if (fields.length > 0) return structuredData(answeredObjects(answer, fields));
  return new Data(isDict(answer) ? answer : { results: answer });
}
