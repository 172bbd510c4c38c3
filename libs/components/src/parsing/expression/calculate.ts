import { formatValue, PythonFloat } from '@millrace/python-text';
import type { PythonObject } from '@millrace/python-text';
import { evaluateExpression, float } from './evaluate-expression';
import { parseExpression } from './expression';
import { DivisionByZeroError, ExpressionError } from './expression-error';

/** The outcome of an expression: its result, or an error for an invalid expression. */
export type Calculation = PythonObject & ({ readonly result: string } | { readonly error: string });

/** Evaluates an arithmetic expression; the result has at most six decimals. */
export function calculate(expression: string): Calculation {
  try {
    return { result: sixDecimals(float(evaluateExpression(parseExpression(expression)))) };
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    const isDivision = error instanceof DivisionByZeroError;
    const reason = isDivision ? `Error: ${error.message}` : `Invalid expression: ${error.message}`;
    return { error: reason, input: expression };
  }
}

/** Without trailing zeros. */
function sixDecimals(value: number): string {
  const fixed = formatValue(Number.isInteger(value) ? new PythonFloat(value) : value, '.6f');
  return fixed.includes('.') ? fixed.replace(/\.?0+$/, '') : fixed;
}
