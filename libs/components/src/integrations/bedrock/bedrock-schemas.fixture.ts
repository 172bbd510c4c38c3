const text = { type: 'string', pattern: '\\S' };
const name = { type: 'string', pattern: '^[a-zA-Z0-9_-]{1,64}$' };

function object(properties: object, required: readonly string[] = Object.keys(properties)): object {
  return { type: 'object', properties, required, additionalProperties: false };
}

const blocks = [
  object({ text }),
  object({
    image: object({
      format: { enum: ['png', 'jpeg', 'gif', 'webp'] },
      source: object({ bytes: { type: 'string', pattern: '^[A-Za-z0-9+/]+=*$' } }),
    }),
  }),
  object({ toolUse: object({ toolUseId: name, name, input: { type: 'object' } }) }),
  object({
    toolResult: object({
      toolUseId: name,
      content: { type: 'array', minItems: 1, items: object({ text }) },
      status: { enum: ['success', 'error'] },
    }),
  }),
];
const tool = object({
  toolSpec: object(
    {
      name,
      description: { type: 'string', minLength: 1 },
      inputSchema: object({ json: { type: 'object' } }),
    },
    ['name', 'inputSchema'],
  ),
});

/** The body of Converse and ConverseStream. */
export const bodySchema = object(
  {
    messages: {
      type: 'array',
      minItems: 1,
      items: object({
        role: { enum: ['user', 'assistant'] },
        content: { type: 'array', minItems: 1, items: { anyOf: blocks } },
      }),
    },
    system: { type: 'array', minItems: 1, items: object({ text }) },
    inferenceConfig: object(
      {
        maxTokens: { type: 'integer', minimum: 1 },
        temperature: { type: 'number', minimum: 0, maximum: 1 },
        topP: { type: 'number', minimum: 0, maximum: 1 },
        stopSequences: { type: 'array', items: text },
      },
      [],
    ),
    toolConfig: object(
      { tools: { type: 'array', minItems: 1, items: tool }, toolChoice: object({ tool: object({ name }) }) },
      ['tools'],
    ),
    additionalModelRequestFields: { type: 'object' },
  },
  ['messages'],
);

/** The bodies of InvokeModel for embedding models. */
export const embeddingSchemas = {
  titan: object({ inputText: text }),
  cohere: object({
    texts: { type: 'array', minItems: 1, maxItems: 96, items: text },
    input_type: { enum: ['search_document', 'search_query', 'classification', 'clustering'] },
  }),
};
