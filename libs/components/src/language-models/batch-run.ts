import { boolean, ComponentError, dataFrame, defineComponent, model, secret, text } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import { DataFrame, str } from '@millrace/python-text';
import type { PythonObject } from '@millrace/python-text';
import { textMember } from '../integrations/http/json-members';
import { completeChat } from './calls/chat-completion';
import type { ChatMessage } from '../integrations/models/chat-message';
import type { ChatModel } from '../integrations/models/chat-protocol';
import { chosenChatModel } from './choice/choose-chat-model';
import { chosenModelKey } from './choice/chosen-model-key';
import { rowToml } from './row-toml';

/** Number of rows that are processed concurrently. */
const concurrentRows = 16;

export default defineComponent({
  type: 'BatchRunComponent',
  displayName: 'Batch Run',
  description: 'Runs a language model on every row of a table.',
  inputs: {
    model: model({ displayName: 'Language Model', required: true }),
    api_key: secret({ displayName: 'API Key', advanced: true }),
    system_message: text({ displayName: 'Instructions', multiline: true }),
    df: dataFrame({ displayName: 'Table', required: true }),
    column_name: text({ displayName: 'Column Name' }),
    output_column_name: text({
      displayName: 'Output Column Name',
      default: 'model_response',
      advanced: true,
    }),
    enable_metadata: boolean({ displayName: 'Enable Metadata', advanced: true }),
  },
  outputs: {
    batch_results: { types: ['DataFrame', 'Table'], displayName: 'LLM Results', method: 'run_batch' },
  },
  deterministic: false,
  reusable: true,
  keyVariable: chosenModelKey,
  run: async (inputs, context) => {
    const chat = await chosenChatModel(inputs.model, 'A model selection is required', context);
    const { df, column_name: column, system_message: instructions } = inputs;
    if (column !== '' && !df.columns.includes(column)) {
      throw new ComponentError(
        `Column '${column}' not found in the DataFrame. Available columns: ${df.columns.join(', ')}`,
      );
    }
    const answered = await answerAll(chat, { instructions, df, column }, context);
    const rows = answered.map(({ row, answer }, index) => ({
      ...row,
      [inputs.output_column_name]: answer,
      batch_index: index,
      ...(inputs.enable_metadata ? { metadata: metadataOf(instructions, row, answer) } : {}),
    }));
    // The rows of an ordered table have their members in another order than its columns.
    const columns = new Set([...df.columns, ...new DataFrame(rows).columns]);
    return { batch_results: new DataFrame(rows, rows.length === 0 ? [] : [...columns]) };
  },
});

interface AnsweredRow {
  readonly row: PythonObject;
  readonly answer: string;
}

interface Batch {
  readonly instructions: string;
  readonly df: DataFrame;
  readonly column: string;
}

/** Processes all rows with bounded concurrency and keeps their order. The first failure stops it. */
async function answerAll(
  chat: ChatModel,
  { instructions, df, column }: Batch,
  context: ComponentContext,
): Promise<readonly AnsweredRow[]> {
  const answered: AnsweredRow[] = [];
  const waiting = df.rows.entries();
  let failed = false;
  const work = async (): Promise<void> => {
    for (const [index, row] of waiting) {
      const question = column === '' ? rowToml(row) : str(row[column] ?? null);
      const messages: ChatMessage[] = [{ role: 'user', content: question }];
      if (instructions !== '') messages.unshift({ role: 'system', content: instructions });
      try {
        const { text: answer } = await completeChat(chat, messages, context);
        answered[index] = { row, answer };
      } catch (error) {
        failed = true;
        throw error;
      }
      if (failed) return;
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrentRows, df.rows.length) }, work));
  return answered;
}

/** As in Langflow, the length of the input is that of a column `text_input`, whatever column is asked about. */
function metadataOf(instructions: string, row: PythonObject, answer: string): PythonObject {
  return {
    has_system_message: instructions !== '',
    input_length: [...textMember(row, 'text_input')].length,
    response_length: [...answer].length,
    processing_status: 'success',
  };
}
