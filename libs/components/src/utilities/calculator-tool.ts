import { defineComponent, text } from '@millrace/flow';
import type { ToolHandle } from '@millrace/flow';
import { Data, repr } from '@millrace/python-text';
import type { PythonObject } from '@millrace/python-text';
import { calculate, inPython } from '../parsing/expression/calculate';

export default defineComponent({
  type: 'CalculatorTool',
  displayName: 'Calculator of earlier versions',
  typeNames: { CalculatorTool: 'Calculator' },
  description: 'Evaluates an arithmetic expression with + - * / and **, directly or as a tool.',
  inputs: { expression: text({ displayName: 'Expression' }) },
  outputs: {
    api_run_model: { types: ['Data', 'JSON'], displayName: 'Data', tool: false },
    api_build_tool: { types: ['Tool'], displayName: 'Tool', tool: false },
  },
  deterministic: true,
  run: ({ expression }, context) => ({
    ...(context.wants('api_run_model') && { api_run_model: [new Data(calculate(expression, inPython))] }),
    ...(context.wants('api_build_tool') && { api_build_tool: calculator }),
  }),
});

const calculator: ToolHandle = {
  kind: 'tool',
  name: 'calculator',
  description: 'Evaluates a basic arithmetic expression, such as 4*4*(33/22)+12-20.',
  parameters: {
    type: 'object',
    properties: { expression: { type: 'string', description: 'The arithmetic expression.' } },
    required: ['expression'],
  },
  // A model gets the list of Langflow's class as Python prints it.
  call: ({ expression = '' }: PythonObject) =>
    Promise.resolve(repr([new Data(calculate(typeof expression === 'string' ? expression : '', inPython))])),
};
