import type { Expression } from './expression';
import { DivisionByZeroError, ExpressionError, TooLargeError } from './expression-error';

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

/** What the calculators do in different ways. */
export interface Arithmetic {
  /** Whether numbers without a fraction are exact integers. */
  readonly exact: boolean;
  /** Python's text for what is not arithmetic: the type of its node, its operator or the type of its constant. */
  refusal(nodeType: string, detail: string): string;
}

/** Evaluates an expression of `+ - * / **`. Throws an ExpressionError with Python's text. */
export function evaluateExpression(expression: Expression, arithmetic: Arithmetic): number | bigint {
  if (expression.kind === 'number') return arithmetic.exact ? expression.value : float(expression.value);
  if (expression.kind === 'other') {
    const { nodeType, detail = '', operand } = expression;
    if (arithmetic.exact && operand !== undefined) evaluateExpression(operand, arithmetic);
    throw new ExpressionError(arithmetic.refusal(nodeType, detail));
  }
  const operation = operations[expression.operator];
  const refusal = (): ExpressionError =>
    new ExpressionError(arithmetic.refusal('BinOp', expression.operator));
  if (operation === undefined && !arithmetic.exact) throw refusal();
  const left = evaluateExpression(expression.left, arithmetic);
  const right = evaluateExpression(expression.right, arithmetic);
  if (operation === undefined) throw refusal();
  return operation(left, right);
}

/** Converts to a float, as Python's `float(value)` does. */
export function float(value: number | bigint): number {
  const number = Number(value);
  if (typeof value === 'bigint' && !Number.isFinite(number)) {
    throw new TooLargeError('int too large to convert to float');
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
  if (!Number.isFinite(result)) throw new TooLargeError("(34, 'Numerical result out of range')");
  return result;
}

function bits(value: number | bigint): number {
  return BigInt(value).toString(16).length * 4;
}

function checkSize(size: number): void {
  if (size > maximumBits) throw new TooLargeError('int too large to convert to float');
}
