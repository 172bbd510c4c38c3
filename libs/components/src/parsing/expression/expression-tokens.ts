import { ExpressionError } from './expression-error';

/** A token of an expression; a newline where a line ends outside of brackets. */
export interface ExpressionToken {
  readonly text: string;
  /** Counted from 1. */
  readonly line: number;
}

const pattern =
  /(0[xX](?:_?[\da-fA-F])+|0[bB](?:_?[01])+|0[oO](?:_?[0-7])+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?)|([\p{L}_][\p{L}\p{N}_]*)|("[^"\n]*"|'[^'\n]*')|(\*\*|\/\/|<<|>>|[<>=!]=|[-+*/%@&|^~()<>[\]{},.:])/uy;
const blanks = /[ \t\f]*/y;
const comment = /#[^\n]*/y;

/** Splits a Python expression into tokens as Python's tokenizer does. Throws an ExpressionError with Python's text. */
export function expressionTokens(source: string): readonly ExpressionToken[] {
  return new Tokenizer(source.replace(/\r\n?/g, '\n')).read();
}

/** Returns Python's error for an unexpected token. */
export function syntaxError(line: number): ExpressionError {
  return new ExpressionError(`invalid syntax (<unknown>, line ${line})`);
}

class Tokenizer {
  readonly #text: string;
  readonly #tokens: ExpressionToken[] = [];
  #offset = 0;
  #line = 1;
  /** The open brackets, and the line of each. */
  readonly #open: ExpressionToken[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  read(): readonly ExpressionToken[] {
    if (this.#text.includes('\0')) throw new ExpressionError('source code string cannot contain null bytes');
    if (this.#text === '') throw syntaxError(0);
    while (this.#offset < this.#text.length) this.#readLine();
    // Only blank lines: the error is reported at the end, on the last of them.
    if (this.#tokens.length === 0) throw syntaxError(Math.max(1, this.#line - 1));
    return this.#tokens;
  }

  /** Reads one line and, inside brackets or after a backslash, the lines that continue it. */
  #readLine(): void {
    const indentation = this.#take(blanks);
    const rest = this.#text.slice(this.#offset, this.#offset + 2);
    if (rest.startsWith('#')) this.#take(comment);
    else if (!rest.startsWith('\n')) {
      // A form feed resets the indentation.
      if (!/^$|\f$/.test(indentation)) throw this.#error('unexpected indent');
      if (rest === '\\\n') return this.#endLine(2);
      return this.#readTokens();
    }
    if (this.#text[this.#offset] === '\n') this.#endLine(1);
    else if (this.#tokens.length === 0) throw syntaxError(this.#line);
  }

  #readTokens(): void {
    for (;;) {
      this.#take(blanks);
      this.#take(comment);
      const next = this.#text[this.#offset];
      if (next === undefined) return;
      if (next === '\n') {
        const isOpen = this.#open.length > 0;
        if (!isOpen) this.#tokens.push({ text: '\n', line: this.#line });
        this.#endLine(1);
        if (!isOpen) return;
      } else if (next === '\\') this.#continueLine();
      else this.#readToken(next);
    }
  }

  #readToken(next: string): void {
    const text = this.#take(pattern);
    if (text === '') throw this.#unknownToken(next);
    if (/^[\d.]/.test(text) && text !== '.') this.#checkNumber(text);
    if ('([{'.includes(text)) this.#open.push({ text, line: this.#line });
    if (')]}'.includes(text)) this.#close(text);
    this.#tokens.push({ text, line: this.#line });
  }

  #checkNumber(text: string): void {
    const misplaced = /^0[box]/i.test(text) ? /_$/ : /_(?!\d)|[^\d]_/;
    if (misplaced.test(text) || /[\p{L}_]/u.test(this.#text[this.#offset] ?? ''))
      throw this.#error('invalid decimal literal');
    if (/^0[\d_]*[1-9][\d_]*$/.test(text)) {
      throw this.#error(
        'leading zeros in decimal integer literals are not permitted; use an 0o prefix for octal integers',
      );
    }
  }

  #close(text: string): void {
    const opened = this.#open.pop();
    if (opened === undefined) throw this.#error(`unmatched '${text}'`);
    if (['()', '[]', '{}'].includes(`${opened.text}${text}`)) return;
    const place = opened.line === this.#line ? '' : ` on line ${opened.line}`;
    throw this.#error(
      `closing parenthesis '${text}' does not match opening parenthesis '${opened.text}'${place}`,
    );
  }

  #continueLine(): void {
    if (this.#text[this.#offset + 1] !== '\n')
      throw this.#error('unexpected character after line continuation character');
    if (this.#offset + 2 === this.#text.length) throw this.#error('unexpected EOF while parsing');
    this.#endLine(2);
  }

  #endLine(characters: number): void {
    this.#offset += characters;
    this.#line += 1;
  }

  #take(words: RegExp): string {
    words.lastIndex = this.#offset;
    const found = words.exec(this.#text)?.[0] ?? '';
    this.#offset += found.length;
    return found;
  }

  #unknownToken(next: string): ExpressionError {
    if (next === '"' || next === "'")
      return this.#error(`unterminated string literal (detected at line ${this.#line})`);
    const character = String.fromCodePoint(this.#text.codePointAt(this.#offset) ?? 0);
    const code = `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
    if (/[\p{Z}\p{Cc}\p{Cf}]/u.test(character)) return this.#error(`invalid non-printable character ${code}`);
    return character < '\u0080'
      ? syntaxError(this.#line)
      : this.#error(`invalid character '${character}' (${code})`);
  }

  #error(reason: string): ExpressionError {
    return new ExpressionError(`${reason} (<unknown>, line ${this.#line})`);
  }
}
