import type { Expression } from './expression';
import { DivisionByZeroError, ExpressionError } from './expression-error';

type Operation = (left: number | bigint, right: number | bigint) => number | bigint;

const operations: Readonly<Record<string, Operation>> = {
  Add: (left, right) =>
    bothIntegers(left, right) ? BigInt(left) + BigInt(right) : float(left) + float(right),
  Sub: (left, right) =>
    bothIntegers(left, right) ? BigInt(left) - BigInt(right) : float(left) - float(right),
  Mult: (left, right) => (bothIntegers(left, right) ? product(left, right) : float(left) * float(right)),
  Div: divide,
  Pow: power,
};

/** Larger integers are of no practical use and take too long to compute. */
const maximumBits = 10_000;

/** Evaluates an expression of `+ - * / **` with exact integers. Throws an ExpressionError with Python's text. */
export function evaluateExpression(expression: Expression): number | bigint {
  if (expression.kind === 'number') return expression.value;
  if (expression.kind === 'other') {
    throw new ExpressionError(`Unsupported operation or expression type: ${expression.nodeType}`);
  }
  const operation = operations[expression.operator];
  if (operation === undefined) {
    throw new ExpressionError(`Unsupported binary operator: ${expression.operator}`);
  }
  return operation(evaluateExpression(expression.left), evaluateExpression(expression.right));
}

/** Converts to a float, as Python's `float(value)` does. */
export function float(value: number | bigint): number {
  const number = Number(value);
  if (typeof value === 'bigint' && !Number.isFinite(number)) {
    throw new ExpressionError('int too large to convert to float');
  }
  return number;
}

function bothIntegers(left: number | bigint, right: number | bigint): boolean {
  return typeof left === 'bigint' && typeof right === 'bigint';
}

function product(left: number | bigint, right: number | bigint): bigint {
  checkSize(bits(left) + bits(right));
  return BigInt(left) * BigInt(right);
}

function divide(left: number | bigint, right: number | bigint): number {
  const divisor = float(right);
  if (divisor === 0) throw new DivisionByZeroError('Division by zero');
  return float(left) / divisor;
}

function power(base: number | bigint, exponent: number | bigint): number | bigint {
  if (typeof base === 'bigint' && typeof exponent === 'bigint' && exponent >= 0n) {
    if (base > 1n || base < -1n) checkSize(bits(base) * Number(exponent));
    return base ** exponent;
  }
  const floatBase = float(base);
  const floatExponent = float(exponent);
  if (floatBase === 0 && floatExponent < 0) throw new DivisionByZeroError('Division by zero');
  const result = floatBase ** floatExponent;
  if (Number.isNaN(result)) {
    throw new ExpressionError("float() argument must be a string or a real number, not 'complex'");
  }
  if (!Number.isFinite(result)) throw new ExpressionError("(34, 'Numerical result out of range')");
  return result;
}

function bits(value: number | bigint): number {
  return BigInt(value).toString(16).length * 4;
}

function checkSize(size: number): void {
  if (size > maximumBits) throw new ExpressionError('int too large to convert to float');
}
