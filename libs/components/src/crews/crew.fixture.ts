import { node, wire } from '../flow-under-test.fixture';
import type { ModelServerUnderTest } from '../language-models/model-server.fixture';

/** A node with a model that members of a crew are wired to. */
export const modelNode = node('OpenAIModel-m', 'OpenAIModel', {
  model_name: 'gpt-4o-mini',
  api_key: 'key-of-a-crew',
});

/** The wire from that model to somebody. */
export function modelWire(to: string, input = 'llm'): unknown {
  return wire('OpenAIModel-m', 'model_output', to, input);
}

/** The variables that lead to the server. */
export function crewVariables(server: ModelServerUnderTest): Readonly<Record<string, string>> {
  return { OPENAI_BASE_URL: server.url };
}
