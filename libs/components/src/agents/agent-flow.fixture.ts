import { edge, flow, node } from '../testing/flow-under-test.fixture';
import { toolNode } from '../testing/tool-node.fixture';

/** The value of the input `model` in these tests. */
export const chosenModel = [{ name: 'gpt-4o-mini', provider: 'OpenAI', metadata: {} }];
export const calculator = toolNode('CalculatorComponent-t', 'CalculatorComponent');

/** Returns a flow from a chat input over an agent with tools to a chat output. */
export function agentFlow(
  values: Record<string, unknown> = {},
  tools: readonly unknown[] = [calculator],
  output = 'response',
): unknown {
  return flow(
    [
      node('ChatInput-a', 'ChatInput'),
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
