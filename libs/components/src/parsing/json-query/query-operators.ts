import { isDict } from '@millrace/flow';
import type { PythonValue } from '@millrace/python-text';
import { compareJson, equalityText, jsonType, numberOf } from './json-order';
import { checkSize, QueryError } from './query-error';

type Operator = (left: PythonValue, right: PythonValue) => PythonValue;

/** jq's binary operators on two values, without `and`, `or` and `//`, which may not evaluate the right operand. */
export const queryOperators: Readonly<Record<string, Operator>> = {
  '==': (left, right) => compareJson(left, right) === 0,
  '!=': (left, right) => compareJson(left, right) !== 0,
  '<': (left, right) => compareJson(left, right) < 0,
  '<=': (left, right) => compareJson(left, right) <= 0,
  '>': (left, right) => compareJson(left, right) > 0,
  '>=': (left, right) => compareJson(left, right) >= 0,
  '+': add,
  '-': subtract,
  '*': (left, right) => onNumbers(left, right, 'multiplied', (one, other) => one * other),
  '/': divide,
  '%': (left, right) => onNumbers(left, right, 'divided', remainder),
};

/** jq's `+`: adds numbers, concatenates texts and lists, and merges objects; null adds nothing. */
export function add(left: PythonValue, right: PythonValue): PythonValue {
  if (left === null) return right;
  if (right === null) return left;
  if (typeof left === 'string' && typeof right === 'string') {
    checkSize(left.length + right.length);
    return left + right;
  }
  if (Array.isArray(left) && Array.isArray(right)) {
    checkSize(left.length + right.length);
    return [...left, ...right] as PythonValue[];
  }
  if (isDict(left) && isDict(right)) return { ...left, ...right };
  return onNumbers(left, right, 'added', (one, other) => one + other);
}

/** jq's `add` of a list. Lists and objects are copied once, and not again for each further one. */
export function sum(items: readonly PythonValue[]): PythonValue {
  const given = items.filter((item) => item !== null);
  const [first = null] = given;
  if (given.every(Array.isArray)) {
    const lists = given as readonly (readonly PythonValue[])[];
    checkSize(lists.reduce((size, list) => size + list.length, 0));
    return given.length === 0 ? null : lists.flat();
  }
  if (given.every(isDict)) return Object.fromEntries(given.flatMap((object) => Object.entries(object)));
  return Array.isArray(first) || isDict(first)
    ? add(first, given.find((item) => jsonType(item) !== jsonType(first)) ?? null)
    : given.reduce(add, null);
}

function subtract(left: PythonValue, right: PythonValue): PythonValue {
  if (Array.isArray(left) && Array.isArray(right)) {
    const removed = new Set(right.map(equalityText));
    return left.filter((item: PythonValue) => !removed.has(equalityText(item)));
  }
  return onNumbers(left, right, 'subtracted', (one, other) => one - other);
}

function divide(left: PythonValue, right: PythonValue): PythonValue {
  if (typeof left === 'string' && typeof right === 'string') return left.split(right);
  return onNumbers(left, right, 'divided', (one, other) => {
    checkDivisor(one, other);
    return one / other;
  });
}

function remainder(one: number, other: number): number {
  const divisor = Math.trunc(other);
  checkDivisor(one, divisor);
  return Math.trunc(one) % divisor;
}

function checkDivisor(one: number, divisor: number): void {
  if (divisor !== 0) return;
  throw new QueryError(`number (${one}) and number (0) cannot be divided because the divisor is zero`);
}

function onNumbers(
  left: PythonValue,
  right: PythonValue,
  operation: string,
  compute: (left: number, right: number) => number,
): PythonValue {
  if (jsonType(left) !== 'number' || jsonType(right) !== 'number') {
    throw new QueryError(`${jsonType(left)} and ${jsonType(right)} cannot be ${operation}`);
  }
  return compute(numberOf(left), numberOf(right));
}
