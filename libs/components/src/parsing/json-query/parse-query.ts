// No library: this counts steps and bytes, so that an expression of a flow cannot stop the process, and has Python's numbers.
import type { Query } from './query';
import { QueryError } from './query-error';
import { queryTokens } from './query-tokens';
import type { QueryToken } from './query-tokens';

const maximumLength = 2000;
const maximumDepth = 60;

/** Parses a jq expression. Throws a QueryError for invalid syntax and for unsupported features. */
export function parseQuery(text: string): Query {
  if (text.length > maximumLength)
    throw new QueryError(`the query is longer than ${maximumLength} characters`);
  return new QueryReader(queryTokens(text)).read();
}

/** Binary operators from the lowest to the highest precedence. */
const precedenceLevels: readonly (readonly string[])[] = [
  ['//'],
  ['or'],
  ['and'],
  ['==', '!=', '<', '<=', '>', '>='],
  ['+', '-'],
  ['*', '/', '%'],
];
const constants: Readonly<Record<string, boolean | null>> = { true: true, false: false, null: null };

class QueryReader {
  readonly #tokens: readonly QueryToken[];
  #next = 0;
  #depth = 0;

  constructor(tokens: readonly QueryToken[]) {
    this.#tokens = tokens;
  }

  read(): Query {
    const query = this.#pipe();
    if (this.#peek().kind !== 'end') throw this.#unexpected();
    return query;
  }

  #pipe(): Query {
    this.#depth += 1;
    if (this.#depth > maximumDepth) throw new QueryError('the query is nested too deeply');
    const left = this.#comma();
    const query: Query = this.#takes('|') ? { kind: 'pipe', left, right: this.#pipe() } : left;
    this.#depth -= 1;
    return query;
  }

  #comma(): Query {
    let left = this.#binary(0);
    while (this.#takes(',')) left = { kind: 'comma', left, right: this.#binary(0) };
    return left;
  }

  #binary(level: number): Query {
    const operators = precedenceLevels[level];
    if (operators === undefined) return this.#postfix();
    let left = this.#binary(level + 1);
    while (this.#peek().kind !== 'text' && operators.includes(this.#peek().text)) {
      const operator = this.#take().text;
      left = { kind: 'operation', operator, left, right: this.#binary(level + 1) };
    }
    return left;
  }

  #postfix(): Query {
    let query = this.#term();
    for (;;) {
      const token = this.#peek();
      if (token.kind === 'field') query = index(query, this.#take().text);
      else if (this.#takes('?')) query = { kind: 'try', body: query };
      else if (this.#takes('[')) query = this.#bracket(query);
      else if (token.text === '.' && token.kind === 'sign' && this.#tokens[this.#next + 1]?.text !== '.') {
        this.#next += 1;
        query = this.#dotted(query);
      } else return query;
    }
  }

  /** Parses a quoted key or brackets after a dot. */
  #dotted(target: Query): Query {
    if (this.#peek().kind === 'text') return index(target, this.#take().text);
    if (this.#takes('[')) return this.#bracket(target);
    throw this.#unexpected();
  }

  #bracket(target: Query): Query {
    if (this.#takes(']')) return { kind: 'iterate', target };
    const from = this.#peek().text === ':' ? null : this.#pipe();
    if (!this.#takes(':')) {
      this.#expect(']');
      return { kind: 'index', target, key: from ?? { kind: 'identity' } };
    }
    const to = this.#peek().text === ']' ? null : this.#pipe();
    this.#expect(']');
    return { kind: 'slice', target, from, to };
  }

  #term(): Query {
    const token = this.#take();
    if (token.kind === 'field') return index({ kind: 'identity' }, token.text);
    if (token.kind === 'text') return { kind: 'literal', value: token.text };
    if (token.kind === 'number') return { kind: 'literal', value: Number(token.text) };
    if (token.kind === 'name') return this.#named(token.text);
    switch (token.text) {
      case '.':
        return this.#peek().kind === 'text' ? this.#dotted({ kind: 'identity' }) : { kind: 'identity' };
      case '..':
        return { kind: 'recurse' };
      case '(':
        return this.#until(')');
      case '[':
        return { kind: 'list', body: this.#takes(']') ? null : this.#until(']') };
      case '{':
        return this.#object();
      case '-':
        return {
          kind: 'operation',
          operator: '-',
          left: { kind: 'literal', value: 0 },
          right: this.#postfix(),
        };
      default:
        this.#next -= 1;
        throw this.#unexpected();
    }
  }

  #named(name: string): Query {
    if (name === 'if') return this.#condition();
    const constant = Object.hasOwn(constants, name) ? constants[name] : undefined;
    if (constant !== undefined) return { kind: 'literal', value: constant };
    const given: Query[] = [];
    if (this.#takes('(')) {
      do given.push(this.#pipe());
      while (this.#takes(';'));
      this.#expect(')');
    }
    return { kind: 'call', name, arguments: given };
  }

  #condition(): Query {
    const test = this.#pipe();
    this.#expect('then');
    const then = this.#pipe();
    if (this.#takes('elif')) return { kind: 'condition', test, then, otherwise: this.#condition() };
    const otherwise: Query = this.#takes('else') ? this.#pipe() : { kind: 'identity' };
    this.#expect('end');
    return { kind: 'condition', test, then, otherwise };
  }

  #object(): Query {
    const entries: [Query, Query][] = [];
    while (!this.#takes('}')) {
      if (entries.length > 0) this.#expect(',');
      entries.push(this.#entry());
    }
    return { kind: 'object', entries };
  }

  #entry(): [Query, Query] {
    const token = this.#take();
    if (token.kind === 'sign' && token.text === '(') {
      const key = this.#until(')');
      this.#expect(':');
      return [key, this.#binary(0)];
    }
    if (token.kind !== 'name' && token.kind !== 'text') {
      this.#next -= 1;
      throw this.#unexpected();
    }
    const value = this.#takes(':') ? this.#binary(0) : index({ kind: 'identity' }, token.text);
    return [{ kind: 'literal', value: token.text }, value];
  }

  #until(close: string): Query {
    const query = this.#pipe();
    this.#expect(close);
    return query;
  }

  #peek(): QueryToken {
    return this.#tokens[this.#next] ?? { kind: 'end', text: 'end' };
  }

  #take(): QueryToken {
    const token = this.#peek();
    this.#next += 1;
    return token;
  }

  #takes(text: string): boolean {
    const token = this.#peek();
    if (token.kind === 'text' || token.kind === 'end' || token.text !== text) return false;
    this.#next += 1;
    return true;
  }

  #expect(text: string): void {
    if (!this.#takes(text)) throw this.#unexpected();
  }

  #unexpected(): QueryError {
    const { kind, text } = this.#peek();
    return new QueryError(`syntax error, unexpected ${kind === 'end' ? 'end of the query' : `"${text}"`}`);
  }
}

function index(target: Query, name: string): Query {
  return { kind: 'index', target, key: { kind: 'literal', value: name } };
}
