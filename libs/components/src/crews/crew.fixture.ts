import { node, edge } from '../testing/flow-under-test.fixture';
import type { ModelServerUnderTest } from '../integrations/openai/openai-server.fixture';

/** A node with the model that the members of a crew use. */
export const modelNode = node('OpenAIModel-m', 'OpenAIModel', {
  model_name: 'gpt-4o-mini',
  api_key: 'key-of-a-crew',
});

/** Returns an edge from that model to an input of another node. */
export function modelEdge(to: string, input = 'llm'): unknown {
  return edge('OpenAIModel-m', 'model_output', to, input);
}

/** Returns the variables with the address of the server. */
export function crewVariables(server: ModelServerUnderTest): Readonly<Record<string, string>> {
  return { OPENAI_BASE_URL: server.url };
}
