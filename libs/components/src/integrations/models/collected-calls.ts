import { randomUUID } from 'node:crypto';
import { isDict } from '@millrace/flow';
import type { PythonValue } from '@millrace/python-text';
import type { ToolCall } from './tool-call';

/** A whole tool call or a piece of one, as a provider sends it. */
export interface CallPiece {
  /** The place of the call in the answer; pieces of one call have the same. */
  readonly index?: PythonValue;
  readonly id?: PythonValue;
  readonly name?: PythonValue;
  /** A text of JSON or a part of it, or the arguments themselves. */
  readonly arguments?: PythonValue;
  readonly signature?: string;
}

interface CollectedCall {
  readonly index: PythonValue;
  id: string;
  name: string;
  argumentsText: string;
  readonly signature: string | undefined;
}

/** The tool calls of an answer. */
export class CollectedCalls {
  readonly #calls: CollectedCall[] = [];

  get count(): number {
    return this.#calls.length;
  }

  add(piece: CallPiece): void {
    const id = textOf(piece.id);
    const name = textOf(piece.name);
    const added = piece.arguments ?? '';
    const call = this.#continued(piece.index ?? null, id, name) ?? this.#begin(piece);
    call.id ||= id;
    call.name ||= name;
    // Arguments that are no text are whole.
    if (typeof added === 'string') call.argumentsText += added;
    else call.argumentsText = JSON.stringify(added);
  }

  /** Returns the calls in the order of the answer, each with an id of its own. */
  all(): readonly ToolCall[] {
    const taken = new Set<string>();
    const placed = this.#calls.map((call, place) => ({
      call,
      place: typeof call.index === 'number' ? call.index : place,
    }));
    return placed
      .sort((one, other) => one.place - other.place)
      .map(({ call: { id, name, argumentsText, signature } }) => {
        const unique = id === '' || taken.has(id) ? newId() : id;
        taken.add(unique);
        return {
          id: unique,
          name,
          argumentsText: plainArguments(argumentsText),
          ...(signature === undefined ? {} : { signature }),
        };
      });
  }

  /** Returns the call that a piece continues; undefined for the first piece of a call. */
  #continued(index: PythonValue, id: string, name: string): CollectedCall | undefined {
    const last = index === null ? this.#calls.at(-1) : this.#calls.findLast((call) => call.index === index);
    if (last === undefined) return undefined;
    if (id !== '' && last.id !== '') {
      const named = this.#calls.findLast(
        (call) => call.id === id && (index === null || call.index === index),
      );
      if (named !== undefined) return named;
      // Some servers send another id with each piece of a call, and its name only with the first.
      return name === '' && !isWhole(last) ? last : undefined;
    }
    if (name === '' || last.name === '') return last;
    return name === last.name && !isWhole(last) ? last : undefined;
  }

  #begin({ index = null, signature }: CallPiece): CollectedCall {
    const call = { index, id: '', name: '', argumentsText: '', signature };
    this.#calls.push(call);
    return call;
  }
}

/** Letters and digits alone, and nine of them, because Mistral accepts no other id. */
function newId(): string {
  return randomUUID().replaceAll('-', '').slice(0, 9);
}

function isWhole({ argumentsText }: CollectedCall): boolean {
  return isObject(parsed(argumentsText));
}

/**
 * Returns the text of arguments without what some servers add: a second encoding as text, or an object that the next one
 * replaces. Empty for null.
 */
function plainArguments(text: string): string {
  const value = parsed(text);
  if (value === null) return '';
  if (typeof value === 'string') return value;
  return value === undefined ? (lastObjectIn(text) ?? text) : text;
}

/** Returns the last of several JSON objects that follow each other; null when the text is something else. */
function lastObjectIn(text: string): string | null {
  let depth = 0;
  let start = 0;
  let last: string | null = null;
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}]|[^\s{}"]+|"/gs)) {
    if (token === '{') {
      if (depth === 0) start = index;
      depth += 1;
    } else if (token === '}') {
      depth -= 1;
      if (depth === 0) last = text.slice(start, index + 1);
    } else if (depth === 0) return null;
    if (depth < 0) return null;
  }
  return depth === 0 && last !== null && isObject(parsed(last)) ? last : null;
}

function isObject(value: PythonValue | undefined): boolean {
  return value !== undefined && isDict(value);
}

/** Undefined for a text that is not JSON. */
function parsed(text: string): PythonValue | undefined {
  if (text.trim() === '') return null;
  try {
    return JSON.parse(text) as PythonValue;
  } catch {
    return undefined;
  }
}

function textOf(value: PythonValue | undefined): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}
