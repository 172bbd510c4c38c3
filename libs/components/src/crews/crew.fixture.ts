import { edge, flow, node, runFlow } from '../testing/flow-under-test.fixture';
import type { RunUnderTest } from '../testing/flow-under-test.fixture';
import { openModelServerForEachTest } from '../integrations/openai/openai-server.fixture';
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

/** What the tests of a crew share: a model server for each test, and runs that use it. */
export interface CrewSuite {
  readonly server: Omit<ModelServerUnderTest, 'close'>;
  /** Runs a flow and shows the output of the crew. */
  run(nodes: readonly unknown[], edges: readonly unknown[]): Promise<RunUnderTest>;
}

/** Opens the suite for the crew with this node id. Call it once, at the top of a test file. */
export function openCrewSuite(crewId: string): CrewSuite {
  const server = openModelServerForEachTest();
  return {
    server,
    run: (nodes, edges) =>
      runFlow(flow(nodes, edges), { show: crewId, variables: { OPENAI_BASE_URL: server.url } }),
  };
}
