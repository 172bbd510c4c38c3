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
const comparisons = new Set(['<', '>', '==', '!=', '<=', '>=']);
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
    const expression = this.#comparison(0);
    while (this.#peek() === '\n') this.#next += 1;
    if (this.#next < this.#tokens.length) throw syntaxError(this.#line());
    return expression;
  }

  #comparison(depth: number): Expression {
    this.#checkDepth(depth);
    const left = this.#binary(0, depth);
    if (!comparisons.has(this.#peek())) return left;
    while (comparisons.has(this.#peek())) {
      this.#next += 1;
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
        if (!isName(this.#take())) throw this.#unexpected();
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
    if (/^["']/.test(token)) return { kind: 'other', nodeType: 'Constant', detail: 'str' };
    if (token === 'None') return { kind: 'other', nodeType: 'Constant', detail: 'NoneType' };
    if (token === 'True' || token === 'False') return { kind: 'number', value: token === 'True' ? 1n : 0n };
    if (isName(token)) return { kind: 'other', nodeType: 'Name' };
    if (token === '(') {
      const items = this.#items(')', depth);
      return items.length === 1 && items[0] !== undefined ? items[0] : { kind: 'other', nodeType: 'Tuple' };
    }
    if (token === '[') {
      this.#items(']', depth);
      return { kind: 'other', nodeType: 'List' };
    }
    throw this.#unexpected();
  }

  #items(close: string, depth: number): readonly Expression[] {
    const opened = this.#tokens[this.#next - 1]?.line ?? 1;
    const items: Expression[] = [];
    while (this.#peek() !== close) {
      if (this.#next >= this.#tokens.length) {
        throw new ExpressionError(
          `'${close === ')' ? '(' : '['}' was never closed (<unknown>, line ${opened})`,
        );
      }
      if (items.length > 0 && this.#take() !== ',') throw this.#unexpected();
      if (items.length > 0 && this.#peek() === close) break;
      items.push(this.#comparison(depth + 1));
    }
    this.#next += 1;
    return items;
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
    throw new ExpressionError(`too many nested parentheses (<unknown>, line ${this.#line()})`);
  }
}

function numberOf(token: string): number | bigint {
  const digits = token.replaceAll('_', '');
  if (/^\d+$/.test(digits)) return BigInt(digits);
  return Number(digits);
}

function isName(token: string): boolean {
  return /^[\p{L}_]/u.test(token);
}
