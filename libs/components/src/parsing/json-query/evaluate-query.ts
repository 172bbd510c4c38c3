import { isDict } from '@millrace/flow';
import type { PythonValue } from '@millrace/python-text';
import { describedValue } from './described-value';
import { jsonType, numberOf, withIntegers } from './json-order';
import type { Query } from './query';
import { QueryError } from './query-error';
import { queryFunctions } from './query-functions';
import { queryOperators } from './query-operators';
import { isTrue, itemsOf } from './query-values';

/** The limit of one query; every evaluated expression and every result counts as a step. */
const maximumSteps = 1_000_000;
/** A step takes time linear in the text or list that it reads, and can read the same large one as the others. */
const defaultMaximumMilliseconds = 5000;

/** Returns all results of a jq expression for a value. Throws a QueryError, also after a time. */
export function evaluateQuery(
  query: Query,
  value: PythonValue,
  maximumMilliseconds = defaultMaximumMilliseconds,
): readonly PythonValue[] {
  return new Evaluation(maximumMilliseconds).run(query, withIntegers(value));
}

/** Evaluates expressions within the limits of one query. */
class Evaluation {
  readonly #maximumMilliseconds: number;
  readonly #begun = performance.now();
  #steps = 0;

  constructor(maximumMilliseconds: number) {
    this.#maximumMilliseconds = maximumMilliseconds;
  }

  run(query: Query, value: PythonValue): readonly PythonValue[] {
    const results = this.#results(query, value);
    this.#steps += 1 + results.length;
    if (this.#steps > maximumSteps) throw new QueryError(`the query takes more than ${maximumSteps} steps`);
    if (performance.now() - this.#begun > this.#maximumMilliseconds) {
      this.#steps = Number.POSITIVE_INFINITY;
      throw new QueryError(`the query takes more than ${this.#maximumMilliseconds} milliseconds`);
    }
    return results;
  }

  #results(query: Query, value: PythonValue): readonly PythonValue[] {
    switch (query.kind) {
      case 'identity':
        return [value];
      case 'literal':
        return [query.value];
      case 'recurse':
        return this.#descendants(value);
      case 'index':
        return this.#pairs(query.target, query.key, value, indexed);
      case 'slice':
        return this.run(query.target, value).map((target) => this.#slice(target, query, value));
      case 'iterate':
        return this.run(query.target, value).flatMap(itemsOf);
      case 'try':
        return this.#attempt(query.body, value);
      case 'pipe':
        return this.run(query.left, value).flatMap((result) => this.run(query.right, result));
      case 'comma':
        return [...this.run(query.left, value), ...this.run(query.right, value)];
      case 'list':
        return [query.body === null ? [] : this.run(query.body, value)];
      case 'object':
        return this.#objects(query.entries, value);
      case 'condition':
        return this.run(query.test, value).flatMap((test) =>
          this.run(isTrue(test) ? query.then : query.otherwise, value),
        );
      case 'operation':
        return this.#operation(query, value);
      case 'call':
        return this.#call(query, value);
    }
  }

  #pairs(
    left: Query,
    right: Query,
    value: PythonValue,
    join: (left: PythonValue, right: PythonValue) => PythonValue,
  ): readonly PythonValue[] {
    const rights = this.run(right, value);
    return this.run(left, value).flatMap((one) => rights.map((other) => join(one, other)));
  }

  #descendants(value: PythonValue): readonly PythonValue[] {
    const found = [value];
    for (let next = 0; next < found.length; next += 1) {
      const current = found[next] ?? null;
      if (Array.isArray(current) || isDict(current)) for (const item of itemsOf(current)) found.push(item);
    }
    return found;
  }

  #slice(target: PythonValue, { from, to }: Query & { kind: 'slice' }, value: PythonValue): PythonValue {
    const bound = (query: Query | null): PythonValue =>
      query === null ? null : (this.run(query, value)[0] ?? null);
    const range = { start: bound(from), end: bound(to) };
    const [start, end] = Object.values(range).map((limit) => (limit === null ? undefined : numberOf(limit)));
    if (target === null) return null;
    if (typeof target === 'string') return [...target].slice(start, end).join('');
    if (Array.isArray(target)) return target.slice(start, end) as PythonValue[];
    throw new QueryError(`Cannot index ${jsonType(target)} with ${describedValue(range)}`);
  }

  #attempt(body: Query, value: PythonValue): readonly PythonValue[] {
    try {
      return this.run(body, value);
    } catch (error) {
      if (error instanceof QueryError && this.#steps <= maximumSteps) return [];
      throw error;
    }
  }

  #objects(entries: readonly (readonly [Query, Query])[], value: PythonValue): readonly PythonValue[] {
    let objects: readonly Readonly<Record<string, PythonValue>>[] = [{}];
    for (const [keyQuery, valueQuery] of entries) {
      const pairs = this.run(keyQuery, value).flatMap((key) =>
        this.run(valueQuery, value).map((member): [PythonValue, PythonValue] => [key, member]),
      );
      this.#steps += objects.length * pairs.length;
      if (this.#steps > maximumSteps) throw new QueryError(`the query takes more than ${maximumSteps} steps`);
      objects = objects.flatMap((object) => pairs.map(([key, member]) => withMember(object, key, member)));
    }
    return objects;
  }

  #operation(query: Query & { kind: 'operation' }, value: PythonValue): readonly PythonValue[] {
    const { operator, left, right } = query;
    if (operator === '//') {
      const given = this.#attempt(left, value).filter(isTrue);
      return given.length > 0 ? given : this.run(right, value);
    }
    if (operator === 'and' || operator === 'or') {
      return this.run(left, value).flatMap((one) =>
        isTrue(one) === (operator === 'or') ? [operator === 'or'] : this.run(right, value).map(isTrue),
      );
    }
    const compute = queryOperators[operator];
    if (compute === undefined) throw new QueryError(`${operator} is not defined`);
    return this.#pairs(left, right, value, compute);
  }

  #call(query: Query & { kind: 'call' }, value: PythonValue): readonly PythonValue[] {
    const name = `${query.name}/${query.arguments.length}`;
    const run = queryFunctions.get(name);
    if (run === undefined) throw new QueryError(`${name} is not defined`);
    const [argument] = query.arguments;
    return run(value, (given) => (argument === undefined ? [] : this.run(argument, given)));
  }
}

function indexed(target: PythonValue, key: PythonValue): PythonValue {
  if (target === null) return null;
  if (typeof key === 'string' && isDict(target)) {
    return Object.hasOwn(target, key) ? (target[key] ?? null) : null;
  }
  if (jsonType(key) === 'number' && Array.isArray(target)) {
    const items: readonly PythonValue[] = target;
    return items.at(Math.floor(numberOf(key))) ?? null;
  }
  throw new QueryError(`Cannot index ${jsonType(target)} with ${describedValue(key)}`);
}

function withMember(
  object: Readonly<Record<string, PythonValue>>,
  key: PythonValue,
  member: PythonValue,
): Readonly<Record<string, PythonValue>> {
  if (typeof key !== 'string') throw new QueryError('Object keys must be strings');
  return { ...object, [key]: member };
}
