import { formatValue, PythonFloat } from '@millrace/python-text';
import type { PythonObject } from '@millrace/python-text';
import { evaluateExpression, float } from './evaluate-expression';
import type { Arithmetic } from './evaluate-expression';
import { parseExpression } from './expression';
import { DivisionByZeroError, ExpressionError, TooLargeError } from './expression-error';

/** The outcome of an expression: its result, or an error for an invalid expression. */
export type Calculation = PythonObject & ({ readonly result: string } | { readonly error: string });

/** The arithmetic of the Calculator. */
const inFloats: Arithmetic = {
  exact: false,
  refusal: (nodeType, detail) => {
    if (nodeType === 'BinOp') return `Unsupported binary operator: ${detail}`;
    return nodeType === 'Constant' ? `Unsupported constant type: ${detail}` : unsupported(nodeType);
  },
};

/** The arithmetic of the Calculator of earlier versions, which shows the errors of Python. */
export const inPython: Arithmetic = {
  exact: true,
  refusal: (nodeType, detail) => {
    if (nodeType === 'BinOp' || nodeType === 'UnaryOp') return `<class 'ast.${detail}'>`;
    return nodeType === 'Call' ? callRefusal : unsupported(nodeType);
  },
};

const callRefusal =
  'Function calls like sqrt(), sin(), cos() etc. are not supported. ' +
  'Only basic arithmetic operations (+, -, *, /, **) are allowed.';

function unsupported(nodeType: string): string {
  return `Unsupported operation or expression type: ${nodeType}`;
}

/** Evaluates an arithmetic expression; the result has at most six decimals. */
export function calculate(expression: string, arithmetic = inFloats): Calculation {
  try {
    return { result: sixDecimals(float(evaluateExpression(parseExpression(expression), arithmetic))) };
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    const isOfNumbers =
      error instanceof DivisionByZeroError || (arithmetic.exact && error instanceof TooLargeError);
    const reason = isOfNumbers ? `Error: ${error.message}` : `Invalid expression: ${error.message}`;
    return { error: reason, input: expression };
  }
}

/** Without trailing zeros. */
function sixDecimals(value: number): string {
  const fixed = formatValue(Number.isInteger(value) ? new PythonFloat(value) : value, '.6f');
  return fixed.includes('.') ? fixed.replace(/\.?0+$/, '') : fixed;
}
