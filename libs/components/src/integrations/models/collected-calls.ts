import { randomUUID } from 'node:crypto';
import type { PythonValue } from '@millrace/python-text';
import { ObjectScan } from './object-scan';
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
  /** What the text of the arguments has so far. */
  scan: ObjectScan;
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
    if (typeof added !== 'string') Object.assign(call, { argumentsText: '', scan: new ObjectScan() });
    const text = typeof added === 'string' ? added : JSON.stringify(added);
    call.argumentsText += text;
    call.scan.add(text);
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
      .map(({ call: { id, name, argumentsText, scan, signature } }) => {
        const unique = id === '' || taken.has(id) ? newId() : id;
        taken.add(unique);
        return {
          id: unique,
          name,
          argumentsText: plainArguments(argumentsText, scan),
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
    const call = { index, id: '', name: '', argumentsText: '', scan: new ObjectScan(), signature };
    this.#calls.push(call);
    return call;
  }
}

/** Letters and digits alone, and nine of them, because Mistral accepts no other id. */
function newId(): string {
  return randomUUID().replaceAll('-', '').slice(0, 9);
}

function isWhole({ scan }: CollectedCall): boolean {
  return scan.lastObject !== null;
}

/**
 * Returns the text of arguments without what some servers add: a second encoding as text, or an object that the next one
 * replaces. Empty for null.
 */
function plainArguments(text: string, scan: ObjectScan): string {
  const value = parsed(text);
  if (value === null) return '';
  if (typeof value === 'string') return value;
  if (value !== undefined || scan.lastObject === null) return text;
  const last = text.slice(...scan.lastObject);
  return parsed(last) === undefined ? text : last;
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
