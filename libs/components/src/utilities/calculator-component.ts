import { Data, defineComponent, formatValue, PythonFloat, text } from '@millrace/flow';
import { evaluateExpression, float } from './evaluate-expression';
import { parseExpression } from './expression';
import { DivisionByZeroError, ExpressionError } from './expression-error';

export default defineComponent({
  type: 'CalculatorComponent',
  displayName: 'Calculator',
  description: 'Computes an expression of numbers with + - * / and **.',
  inputs: { expression: text({ displayName: 'Expression', tool: true }) },
  outputs: { result: { types: ['Data', 'JSON'], displayName: 'Data', method: 'evaluate_expression' } },
  deterministic: true,
  run: ({ expression }, context) => {
    try {
      const result = sixDecimals(float(evaluateExpression(parseExpression(expression))));
      context.log(`Calculation result: ${result}`);
      context.status(result);
      return { result: new Data({ result }) };
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      const reason =
        error instanceof DivisionByZeroError
          ? `Error: ${error.message}`
          : `Invalid expression: ${error.message}`;
      context.status(reason);
      return { result: new Data({ error: reason, input: expression }) };
    }
  },
});

/** At most six decimals, without zeros at the end. */
function sixDecimals(value: number): string {
  const fixed = formatValue(Number.isInteger(value) ? new PythonFloat(value) : value, '.6f');
  return fixed.includes('.') ? fixed.replace(/\.?0+$/, '') : fixed;
}
