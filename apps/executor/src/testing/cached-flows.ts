import { node, wire } from './flow-document';

type Fields = Readonly<Record<string, unknown>>;

/** A node whose fields are switches, numbers or names of variables (`$NAME`), too. */
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

/** Chat Input → Combine Text, whose other text is this vertex's or this field's → Chat Output. */
function joining(
  beside: { readonly field?: string; readonly vertex?: unknown; readonly output?: string },
  stores: boolean,
) {
  const { field = '', vertex: besideIt, output } = beside;
  return {
    nodes: [
      vertex('ChatInput-i', { input_value: '', should_store_message: stores, session_id: '', files: '' }, [
        'message',
      ]),
      ...(besideIt === undefined ? [] : [besideIt]),
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

/** What is said comes back, with a word. */
export const wordFlow = (word: string): unknown => joining({ field: word }, true);

/** With the value of the variable WORD. */
export const variableFlow = (): unknown => joining({ field: '$WORD' }, true);

/** With all that the session holds, with ids and times; what is said now is stored only where `stores` says so. */
export const memoryFlow = (stores: boolean): unknown => {
  const template = '{sender_name} {text} {id} {timestamp}';
  const memory = vertex('Memory-m', { template, session_id: '' }, ['messages_text']);
  return joining({ vertex: memory, output: 'Memory-m.messages_text' }, stores);
};

/** With an id that is another one every time. */
export const idFlow = (): unknown =>
  joining({ vertex: vertex('IDGenerator-g', { unique_id: '' }, ['id']), output: 'IDGenerator-g.id' }, true);

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
