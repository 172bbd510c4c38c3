import { ExpressionError } from './expression-error';
import { expressionTokens, syntaxError } from './expression-tokens';
import type { ExpressionToken } from './expression-tokens';

/**
 * An arithmetic expression. A number is a bigint when it was written without a fraction; `other` nodes are valid in
 * Python but not arithmetic.
 */
export type Expression =
  | { readonly kind: 'number'; readonly value: number | bigint }
  | {
      readonly kind: 'operation';
      /** Python's name of the operator: Add, Sub, Mult, Div, Pow, Mod, … */
      readonly operator: string;
      readonly left: Expression;
      readonly right: Expression;
    }
  | {
      readonly kind: 'other';
      readonly nodeType: string;
      /** Python's name of the operator before a value, or of the type of a constant. */
      readonly detail?: string;
      /** The value behind an operator. */
      readonly operand?: Expression;
    };

/** The binary operators by increasing precedence; `**` is read separately, since it is right-associative. */
const levels: readonly Readonly<Record<string, string>>[] = [
  { '|': 'BitOr' },
  { '^': 'BitXor' },
  { '&': 'BitAnd' },
  { '<<': 'LShift', '>>': 'RShift' },
  { '+': 'Add', '-': 'Sub' },
  { '*': 'Mult', '/': 'Div', '//': 'FloorDiv', '%': 'Mod', '@': 'MatMult' },
];
const signs: Readonly<Record<string, string>> = { '+': 'UAdd', '-': 'USub', '~': 'Invert' };
const comparisons = new Set(['<', '>', '==', '!=', '<=', '>=', 'in', 'is', 'not']);
const keywords = new Set(
  (
    'and as assert async await break class continue def del elif else except finally for from global if import in is lambda ' +
    'nonlocal not or pass raise return try while with yield'
  ).split(' '),
);
const maximumLength = 10_000;
const maximumDepth = 90;

/**
 * Parses a Python expression as far as it is arithmetic. Throws an ExpressionError with Python's text for invalid
 * syntax.
 */
export function parseExpression(text: string): Expression {
  if (text.length > maximumLength) throw new ExpressionError(`longer than ${maximumLength} characters`);
  return new ExpressionReader(text).read();
}

class ExpressionReader {
  readonly #tokens: readonly ExpressionToken[];
  #next = 0;

  constructor(text: string) {
    this.#tokens = expressionTokens(text);
  }

  read(): Expression {
    const expression = this.#tuple();
    while (this.#peek() === '\n') this.#next += 1;
    if (this.#next < this.#tokens.length) throw syntaxError(this.#line());
    return expression;
  }

  #tuple(): Expression {
    const first = this.#choice(0);
    if (this.#peek() !== ',') return first;
    while (this.#peek() === ',') {
      this.#next += 1;
      if (this.#peek() !== '\n' && this.#next < this.#tokens.length) this.#choice(0);
    }
    return { kind: 'other', nodeType: 'Tuple' };
  }

  #choice(depth: number): Expression {
    const chosen = this.#junction(depth, ['or', 'and']);
    if (this.#peek() !== 'if') return chosen;
    this.#next += 1;
    this.#junction(depth, ['or', 'and']);
    if (this.#take() !== 'else') throw this.#error("expected 'else' after 'if' expression");
    this.#choice(depth + 1);
    return { kind: 'other', nodeType: 'IfExp' };
  }

  #junction(depth: number, [word, ...words]: readonly string[]): Expression {
    if (word === undefined) return this.#negation(depth);
    const first = this.#junction(depth, words);
    if (this.#peek() !== word) return first;
    while (this.#peek() === word) {
      this.#next += 1;
      this.#junction(depth, words);
    }
    return { kind: 'other', nodeType: 'BoolOp' };
  }

  #negation(depth: number): Expression {
    if (this.#peek() !== 'not') return this.#comparison(depth);
    this.#checkDepth(depth);
    this.#next += 1;
    return { kind: 'other', nodeType: 'UnaryOp', detail: 'Not', operand: this.#negation(depth + 1) };
  }

  #comparison(depth: number): Expression {
    this.#checkDepth(depth);
    const left = this.#binary(0, depth);
    if (!comparisons.has(this.#peek())) return left;
    while (comparisons.has(this.#peek())) {
      const operator = this.#take();
      if (operator === 'not' && this.#take() !== 'in') throw this.#unexpected();
      if (operator === 'is' && this.#peek() === 'not') this.#next += 1;
      this.#binary(0, depth);
    }
    return { kind: 'other', nodeType: 'Compare' };
  }

  #binary(level: number, depth: number): Expression {
    const operators = levels[level];
    if (operators === undefined) return this.#unary(depth);
    let left = this.#binary(level + 1, depth);
    for (;;) {
      const symbol = this.#peek();
      if (!Object.hasOwn(operators, symbol)) return left;
      const operator = operators[symbol] ?? '';
      this.#next += 1;
      left = { kind: 'operation', operator, left, right: this.#binary(level + 1, depth) };
    }
  }

  #unary(depth: number): Expression {
    const symbol = this.#peek();
    if (!Object.hasOwn(signs, symbol)) return this.#power(depth);
    const detail = signs[symbol] ?? '';
    this.#checkDepth(depth);
    this.#next += 1;
    return { kind: 'other', nodeType: 'UnaryOp', detail, operand: this.#unary(depth + 1) };
  }

  #power(depth: number): Expression {
    this.#checkDepth(depth);
    const base = this.#called(depth);
    if (this.#peek() !== '**') return base;
    this.#next += 1;
    return { kind: 'operation', operator: 'Pow', left: base, right: this.#unary(depth + 1) };
  }

  /** Reads an atom with its trailers: a call, an attribute, an index. */
  #called(depth: number): Expression {
    let expression = this.#atom(depth);
    for (;;) {
      const token = this.#peek();
      if (token === '.') {
        this.#next += 1;
        const name = this.#take();
        if (!isName(name) || keywords.has(name)) throw this.#unexpected();
        expression = { kind: 'other', nodeType: 'Attribute' };
      } else if (token === '(' || token === '[') {
        this.#next += 1;
        this.#items(token === '(' ? ')' : ']', depth);
        expression = { kind: 'other', nodeType: token === '(' ? 'Call' : 'Subscript' };
      } else return expression;
    }
  }

  #atom(depth: number): Expression {
    const token = this.#take();
    if (/^[.\d]/.test(token) && token !== '.') return { kind: 'number', value: numberOf(token) };
    if (isText(token)) {
      while (isText(this.#peek())) this.#next += 1;
      return { kind: 'other', nodeType: 'Constant', detail: 'str' };
    }
    if (token === 'None') return { kind: 'other', nodeType: 'Constant', detail: 'NoneType' };
    if (token === 'True' || token === 'False') return { kind: 'number', value: token === 'True' ? 1n : 0n };
    if (isName(token) && !keywords.has(token)) return { kind: 'other', nodeType: 'Name' };
    if (token === '(') {
      const items = this.#items(')', depth);
      return items.length === 1 && items[0] !== undefined ? items[0] : { kind: 'other', nodeType: 'Tuple' };
    }
    if (token === '[') {
      this.#items(']', depth);
      return { kind: 'other', nodeType: 'List' };
    }
    if (token === '{') return { kind: 'other', nodeType: this.#braces(depth) };
    throw this.#unexpected();
  }

  /** Reads a dictionary or a set, and returns which of them it is. */
  #braces(depth: number): 'Dict' | 'Set' {
    let keys = 0;
    const items = this.#items('}', depth, (index) => {
      const hasValue = this.#peek() === ':';
      if (keys === 0 ? !hasValue || index > 0 : !hasValue) {
        if (keys > 0) throw this.#error("':' expected after dictionary key");
        return;
      }
      this.#next += 1;
      keys += 1;
      if (this.#peek() === '}') throw this.#error("expression expected after dictionary key and ':'");
      this.#choice(depth + 1);
    });
    return keys === items.length ? 'Dict' : 'Set';
  }

  #items(close: string, depth: number, readRest?: (index: number) => void): readonly Expression[] {
    const { line, text: open } = this.#tokens[this.#next - 1] ?? { line: 1, text: '' };
    const items: Expression[] = [];
    while (this.#peek() !== close) {
      if (this.#next >= this.#tokens.length)
        throw new ExpressionError(`'${open}' was never closed (<unknown>, line ${line})`);
      if (items.length > 0 && this.#take() !== ',') throw this.#missingComma(depth);
      if (items.length > 0 && this.#peek() === close) break;
      items.push(this.#choice(depth + 1));
      readRest?.(items.length - 1);
    }
    this.#next += 1;
    return items;
  }

  /** Returns the error for the token that was read last, where a comma should stand: Python names it before a whole expression. */
  #missingComma(depth: number): ExpressionError {
    const error = this.#unexpected();
    const next = this.#peek();
    if (keywords.has(next) || isText(next)) return error;
    try {
      this.#choice(depth + 1);
      return this.#error('invalid syntax. Perhaps you forgot a comma?');
    } catch {
      return error;
    }
  }

  #error(reason: string): ExpressionError {
    return new ExpressionError(`${reason} (<unknown>, line ${this.#line()})`);
  }

  #peek(): string {
    return this.#tokens[this.#next]?.text ?? '';
  }

  #take(): string {
    const token = this.#peek();
    this.#next += 1;
    return token;
  }

  /** The line of the next token; of the last one when none is left. */
  #line(): number {
    return (this.#tokens[this.#next] ?? this.#tokens.at(-1))?.line ?? 1;
  }

  /** Returns the syntax error for the token that was read last. */
  #unexpected(): ExpressionError {
    this.#next -= 1;
    return syntaxError(this.#line());
  }

  #checkDepth(depth: number): void {
    if (depth <= maximumDepth) return;
    throw this.#error('too many nested parentheses');
  }
}

function numberOf(token: string): number | bigint {
  const digits = token.replaceAll('_', '');
  if (/^(?:\d+|0[box].*)$/i.test(digits)) return BigInt(digits);
  return Number(digits);
}

function isText(token: string): boolean {
  return /^["']/.test(token);
}

function isName(token: string): boolean {
  return /^[\p{L}_]/u.test(token);
}
