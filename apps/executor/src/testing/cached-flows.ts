import { node, wire } from './flow-document';

type Fields = Readonly<Record<string, unknown>>;

/** A node whose fields can also be booleans, numbers or names of variables (`$NAME`). */
function vertex(id: string, fields: Fields, outputs: readonly string[]): unknown {
  const made = node(id, {}, outputs) as { readonly data: { readonly node: { template: unknown } } };
  made.data.node.template = Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, { name, show: true, ...fieldOf(value) }]),
  );
  return made;
}

function fieldOf(value: unknown): Fields {
  if (typeof value === 'string' && value.startsWith('$')) {
    return { type: 'str', value: value.slice(1), load_from_db: true };
  }
  return { type: typeof value === 'boolean' ? 'bool' : 'str', value };
}

/** Chat Input → Combine Text, whose second text is from the vertex or the field → Chat Output. */
function combiningFlow(
  second: { readonly field?: string; readonly vertex?: unknown; readonly output?: string },
  stores: boolean,
) {
  const { field = '', vertex: secondVertex, output } = second;
  return {
    nodes: [
      vertex('ChatInput-i', { input_value: '', should_store_message: stores, session_id: '', files: '' }, [
        'message',
      ]),
      ...(secondVertex === undefined ? [] : [secondVertex]),
      vertex('CombineText-c', { text1: '', text2: field, delimiter: '|' }, ['combined_text']),
      vertex(
        'ChatOutput-o',
        { input_value: '', should_store_message: stores, sender_name: 'AI', session_id: '' },
        ['message'],
      ),
    ],
    edges: [
      wire('ChatInput-i.message > CombineText-c.text1'),
      ...(output === undefined ? [] : [wire(`${output} > CombineText-c.text2`)]),
      wire('CombineText-c.combined_text > ChatOutput-o.input_value'),
    ],
  };
}

/** Returns the input with a word. */
export const wordFlow = (word: string): unknown => combiningFlow({ field: word }, true);

/** Returns the input with the value of the variable WORD. */
export const variableFlow = (): unknown => combiningFlow({ field: '$WORD' }, true);

/** Returns the input with all messages of the session, their ids and times; `stores`: stores the new messages. */
export const memoryFlow = (stores: boolean): unknown => {
  const template = '{sender_name} {text} {id} {timestamp}';
  const memory = vertex('Memory-m', { template, session_id: '' }, ['messages_text']);
  return combiningFlow({ vertex: memory, output: 'Memory-m.messages_text' }, stores);
};

/** Returns the input with a new id each time. */
export const idFlow = (): unknown =>
  combiningFlow(
    { vertex: vertex('IDGenerator-g', { unique_id: '' }, ['id']), output: 'IDGenerator-g.id' },
    true,
  );

/** Chat Input → OpenAI → Chat Output. */
export const modelFlow = (): unknown => ({
  nodes: [
    vertex('ChatInput-i', { input_value: '', session_id: '' }, ['message']),
    vertex('OpenAIModel-m', { input_value: '', model_name: 'model', api_key: '$OPENAI_API_KEY' }, [
      'text_output',
    ]),
    vertex('ChatOutput-o', { input_value: '', session_id: '' }, ['message']),
  ],
  edges: [
    wire('ChatInput-i.message > OpenAIModel-m.input_value'),
    wire('OpenAIModel-m.text_output > ChatOutput-o.input_value'),
  ],
});
