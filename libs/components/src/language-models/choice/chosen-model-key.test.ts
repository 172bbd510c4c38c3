import { compile, flowReport, parseFlowDocument } from '@millrace/flow';
import { componentRegistry } from '../../component-registry';
import { flow, node, edge } from '../../testing/flow-under-test.fixture';

type Values = Readonly<Record<string, unknown>>;

/** Returns the report's reason for the first node with these field values. */
function reasonFor(type: string, values: Values, edges: readonly unknown[] = []): string | null | undefined {
  const nodes = [node('Model-m', type, values), node('OllamaModel-o', 'OllamaModel', { model_name: 'm' })];
  const document = parseFlowDocument(flow(nodes, edges));
  const plan = compile(document, { flowId: 'f', version: 1, registry: componentRegistry });
  return flowReport(plan, { hasVariable: (name) => name === 'GROQ_API_KEY', isApproved: () => false })
    .vertices[0]?.reason;
}

const claude = { model: [{ name: 'claude-sonnet-4-5', provider: 'Anthropic' }] };

test.each<[string, Values, string | null]>([
  ['Agent', claude, 'It needs ANTHROPIC_API_KEY.'],
  ['Agent', { ...claude, api_key: 'a-key' }, null],
  ['Agent', { agent_llm: 'OpenAI', model_name: 'gpt-4o' }, 'It needs OPENAI_API_KEY.'],
  ['Agent', {}, null],
  ['LanguageModelComponent', { model: [['no', 'choice']] }, null],
  ['LanguageModelComponent', claude, 'It needs ANTHROPIC_API_KEY.'],
  ['LanguageModelComponent', { provider: 'Groq', model_name: 'x' }, null],
  ['EmbeddingModel', { model: [{ name: 'e', provider: 'Cohere' }] }, 'It needs COHERE_API_KEY.'],
  ['MistralModel', { model_name: 'x' }, 'It needs MISTRAL_API_KEY.'],
  ['MistralModel', { model_name: 'x', mistral_api_key: 'k' }, null],
  ['OllamaModel', { model_name: 'x' }, null],
])('the report for %s with %j is %j', (type, values, reason) => {
  expect(reasonFor(type, values)).toBe(reason);
});

test('a connected model has its own key', () => {
  const edges = [edge('OllamaModel-o', 'model_output', 'Model-m', 'model')];
  expect(reasonFor('Agent', claude, edges)).toBeNull();
});
