import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const examples = join(__dirname, '..', '..', 'examples');

interface ExampleFile {
  readonly endpoint_name: string;
  readonly data: { readonly nodes: readonly ExampleNode[]; readonly edges: readonly ExampleEdge[] };
}

interface ExampleNode {
  readonly id: string;
  readonly data: {
    readonly type: string;
    readonly node: {
      readonly template: Readonly<Record<string, { value: unknown; type: string; input_types: string[] }>>;
      readonly outputs: readonly { name: string; method: string; types: string[]; loop_types?: string[] }[];
    };
  };
}

interface ExampleEdge {
  readonly source: string;
  readonly target: string;
  readonly sourceHandle: string;
  readonly targetHandle: string;
  readonly data: { readonly sourceHandle: { name: string }; readonly targetHandle: EdgeTarget };
}

interface EdgeTarget {
  readonly fieldName?: string;
  readonly name?: string;
}

const files = readdirSync(examples).filter((name) => name.endsWith('.json'));
const parsed = (name: string): ExampleFile =>
  JSON.parse(readFileSync(join(examples, name), 'utf8')) as ExampleFile;

test.each(files)('%s has its name as endpoint, no code, and an entry in the README', (name) => {
  const { endpoint_name, data } = parsed(name);
  expect(`${endpoint_name}.json`).toBe(name);
  expect(data.nodes.map((node) => node.data.node.template['code']?.value).join('')).toBe('');
  expect(readFileSync(join(examples, 'README.md'), 'utf8')).toContain(`\`${endpoint_name}\``);
});

/** The methods of Langflow's classes that compute the outputs: Langflow calls them by the names in the file. */
const methods: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  APIRequest: { data: 'make_api_request' },
  Agent: { response: 'message_response' },
  BatchRunComponent: { batch_results: 'run_batch' },
  CalculatorComponent: { component_as_tool: 'to_toolkit' },
  ChatInput: { message: 'message_response' },
  ChatOutput: { message: 'message_response' },
  ConditionalRouter: { true_result: 'true_response', false_result: 'false_response' },
  CurrentDate: { component_as_tool: 'to_toolkit' },
  EmbeddingModel: { embeddings: 'build_embeddings' },
  // Of one file with rows; several files have `load_files`.
  File: { message: 'load_files_message', dataframe: 'load_files_structured' },
  LanguageModelComponent: { text_output: 'text_response', model_output: 'build_model' },
  LocalDB: { dataframe: 'as_dataframe' },
  LoopComponent: { item: 'item_output', done: 'done_output' },
  Memory: { messages_text: 'retrieve_messages_as_text', dataframe: 'retrieve_messages_dataframe' },
  ParserComponent: { parsed_text: 'parse_combined_text' },
  'Prompt Template': { prompt: 'build_prompt' },
  RSSReaderSimple: { articles: 'read_rss' },
  RunFlow: { 'ChatOutput-contact3~message': '_resolve_flow_output__ChatOutput_contact3__message' },
  SQLComponent: { component_as_tool: 'to_toolkit' },
  SaveToFile: { message: 'save_to_file' },
  SmartRouter: {
    category_1_result: 'process_case',
    category_2_result: 'process_case',
    category_3_result: 'process_case',
    default_result: 'default_response',
  },
  SplitText: { dataframe: 'split_text' },
  StructuredOutput: {
    structured_output: 'build_structured_output',
    dataframe_output: 'build_structured_dataframe',
  },
  TypeConverterComponent: { data_output: 'convert_to_data' },
  URLComponent: { component_as_tool: 'to_toolkit' },
  Webhook: { output_data: 'build_data' },
};

test.each(files)('%s names the methods of its outputs, so that it runs in Langflow, too', (name) => {
  for (const { data } of parsed(name).data.nodes) {
    // This component is not Langflow's.
    if (data.type === 'JavaScriptFunction') continue;
    const named = Object.fromEntries(data.node.outputs.map((output) => [output.name, output.method]));
    expect(methods[data.type]).toMatchObject(named);
  }
});

test.each(files)('%s has the edges that an editor would derive from its nodes', (name) => {
  const { nodes, edges } = parsed(name).data;
  const find = (id: string): ExampleNode['data'] => nodes.find((node) => node.id === id)!.data;
  for (const edge of edges) {
    const source = find(edge.source);
    const output = source.node.outputs.find((one) => one.name === edge.data.sourceHandle.name);
    const sourceHandle = {
      dataType: source.type,
      id: edge.source,
      name: output?.name,
      output_types: output?.types,
    };
    const targetHandle = targetOf(edge, find(edge.target));
    expect(edge.data).toEqual({ sourceHandle, targetHandle });
    expect(edge.sourceHandle).toBe(JSON.stringify(sourceHandle).replaceAll('"', 'œ'));
    expect(edge.targetHandle).toBe(JSON.stringify(targetHandle).replaceAll('"', 'œ'));
  }
});

/** Returns the target handle of an edge: a field, or the output of a loop. */
function targetOf({ target, data }: ExampleEdge, { type, node }: ExampleNode['data']): object {
  const { fieldName = '', name } = data.targetHandle;
  const field = node.template[fieldName];
  if (field) return { fieldName, id: target, inputTypes: field.input_types, type: field.type };
  const output = node.outputs.find((one) => one.name === name);
  return {
    dataType: type,
    id: target,
    name: output?.name,
    output_types: [...(output?.types ?? []), ...(output?.loop_types ?? [])],
  };
}
