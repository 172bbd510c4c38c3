import { flowData, node } from '@millrace/testing';
import type { FieldValue, FlowNode } from '@millrace/testing';

/** A field with the value of a stored variable. */
const variable = (name: string) => ({ value: name, load_from_db: true });

/** Chat Input → Combine Text, whose second text is from the vertex or the field → Chat Output. */
function combiningFlow(
  second: { readonly field?: FieldValue; readonly vertex?: FlowNode; readonly output?: string },
  stores: boolean,
) {
  const { field = '', vertex: secondVertex, output } = second;
  return flowData(
    [
      node(
        'ChatInput-i',
        { input_value: '', should_store_message: stores, session_id: '', files: '' },
        'message',
      ),
      ...(secondVertex === undefined ? [] : [secondVertex]),
      node('CombineText-c', { text1: '', text2: field, delimiter: '|' }, 'combined_text'),
      node(
        'ChatOutput-o',
        { input_value: '', should_store_message: stores, sender_name: 'AI', session_id: '' },
        'message',
      ),
    ],
    [
      'ChatInput-i.message > CombineText-c.text1',
      ...(output === undefined ? [] : [`${output} > CombineText-c.text2`]),
      'CombineText-c.combined_text > ChatOutput-o.input_value',
    ],
  );
}

/** Returns the input with a word. */
export const wordFlow = (word: string): unknown => combiningFlow({ field: word }, true);

/** Returns the input with the value of the variable WORD. */
export const variableFlow = (): unknown => combiningFlow({ field: variable('WORD') }, true);

/** Returns the input with all messages of the session, their ids and times; `stores`: stores the new messages. */
export const memoryFlow = (stores: boolean): unknown => {
  const template = '{sender_name} {text} {id} {timestamp}';
  const memory = node('Memory-m', { template, session_id: '' }, 'messages_text');
  return combiningFlow({ vertex: memory, output: 'Memory-m.messages_text' }, stores);
};

/** Returns the input with a new id each time. */
export const idFlow = (): unknown =>
  combiningFlow({ vertex: node('IDGenerator-g', { unique_id: '' }, 'id'), output: 'IDGenerator-g.id' }, true);

/** Chat Input → OpenAI → Chat Output. */
export const modelFlow = (): unknown =>
  flowData(
    [
      node('ChatInput-i', { input_value: '', session_id: '' }, 'message'),
      node(
        'OpenAIModel-m',
        { input_value: '', model_name: 'model', api_key: variable('OPENAI_API_KEY') },
        'text_output',
      ),
      node('ChatOutput-o', { input_value: '', session_id: '' }, 'message'),
    ],
    [
      'ChatInput-i.message > OpenAIModel-m.input_value',
      'OpenAIModel-m.text_output > ChatOutput-o.input_value',
    ],
  );
