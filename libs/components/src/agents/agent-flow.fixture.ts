import { edge, flow, node, runFlow } from '../testing/flow-under-test.fixture';
import type { RunOptions, RunUnderTest } from '../testing/flow-under-test.fixture';
import type { ServerResponse } from 'node:http';
import { chunk, openModelServerForEachTest } from '../integrations/openai/openai-server.fixture';
import type { ModelServerUnderTest } from '../integrations/openai/openai-server.fixture';
import { toolNode } from '../testing/tool-node.fixture';

/** The value of the input `model` in these tests. */
export const chosenModel = [{ name: 'gpt-4o-mini', provider: 'OpenAI', metadata: {} }];
export const calculator = toolNode('CalculatorComponent-t', 'CalculatorComponent');

/** Returns a flow from a chat input over an agent with tools to a chat output. */
export function agentFlow(
  values: Record<string, unknown> = {},
  tools: readonly unknown[] = [calculator],
  output = 'response',
  input: Record<string, unknown> = {},
): unknown {
  return flow(
    [
      node('ChatInput-a', 'ChatInput', input),
      ...tools,
      node('Agent-g', 'Agent', {
        model: chosenModel,
        system_prompt: 'Be brief.',
        stream: false,
        add_calculator_tool: false,
        ...values,
      }),
      node('ChatOutput-z', 'ChatOutput'),
    ],
    [
      edge('ChatInput-a', 'message', 'Agent-g', 'input_value'),
      ...tools.map((tool) => edge((tool as { id: string }).id, 'component_as_tool', 'Agent-g', 'tools')),
      edge('Agent-g', output, 'ChatOutput-z', 'input_value'),
    ],
  );
}

/** What the tests of agents share: a model server for each test, and runs that use it. */
export interface AgentSuite {
  readonly server: Omit<ModelServerUnderTest, 'close'>;
  /** Runs a flow with the input "What is 6 * 7?", unless the options have another one. */
  ask(document: unknown, options?: RunOptions): Promise<RunUnderTest>;
  /** The messages in the request with this index. */
  messagesOf(index: number): unknown;
}

/** Opens the suite. Call it once, at the top of a test file. */
export function openAgentSuite(): AgentSuite {
  const server = openModelServerForEachTest();
  return {
    server,
    ask: (document, options) =>
      runFlow(document, {
        input: 'What is 6 * 7?',
        variables: { OPENAI_BASE_URL: server.url, OPENAI_API_KEY: 'sk-stored' },
        ...options,
      }),
    messagesOf: (index) => server.requests[index]?.body.messages,
  };
}

/** Answers with a stream that contains a tool call and no text. */
export function streamedCall(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  finishCall(response);
}

/** Ends a stream with a tool call whose arguments arrive in several chunks. */
export function finishCall(response: ServerResponse): void {
  const piece = (call: object): string =>
    chunk('').replace('"content":""', `"tool_calls":[${JSON.stringify({ index: 0, ...call })}]`);
  const named = { name: 'evaluate_expression', arguments: '' };
  response.write(piece({ id: 'call_s', type: 'function', function: named }));
  response.write(piece({ function: { arguments: '{"expression"' } }));
  response.write(piece({ function: { arguments: ':"2+2"}' } }));
  response.end('data: [DONE]\n\n');
}
