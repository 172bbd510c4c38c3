import { defineComponent, text } from '@millrace/flow';
import { Data } from '@millrace/python-text';
import { calculate } from '../parsing/expression/calculate';

export default defineComponent({
  type: 'CalculatorComponent',
  displayName: 'Calculator',
  description: 'Evaluates an arithmetic expression with + - * / and **.',
  inputs: { expression: text({ displayName: 'Expression', tool: true }) },
  outputs: { result: { types: ['Data', 'JSON'], displayName: 'Data', method: 'evaluate_expression' } },
  deterministic: true,
  run: ({ expression }, context) => {
    const calculation = calculate(expression);
    if ('result' in calculation) context.log(`Calculation result: ${calculation.result}`);
    context.status('result' in calculation ? calculation.result : calculation.error);
    return { result: new Data(calculation) };
  },
});
