import { ComponentError } from '@millrace/flow';
import type { TextStream } from '@millrace/python-text';
import type { PythonObjectUse } from '../bridges/python-object-use';
import { pythonModel } from '../bridges/python-chat';
import {
  pythonEmbeddings,
  pythonHistory,
  pythonObject,
  pythonRetriever,
  pythonTool,
} from '../bridges/python-objects';
import { decodeValue } from '../values/decode-value';
import type { HostObject, LiveObjects, PythonObjectDescription } from '../values/live-objects';

/** Objects and texts of Python that one run can pass to this side. */
const maximumObjects = 100_000;

/** Which lease each object of Python belongs to, and its number there. */
const origins = new WeakMap<object, { readonly lease: LeaseObjects; readonly reference: number }>();

/** The live objects of one lease. */
export class LeaseObjects implements LiveObjects {
  readonly #useOf: (reference: number) => PythonObjectUse;
  readonly #textOf: (reference: number) => TextStream;
  readonly #host: HostObject[] = [];
  readonly #numbers = new Map<HostObject, number>();
  readonly #wrapped = new Map<number, HostObject>();
  readonly #texts = new Map<number, TextStream>();

  constructor(useOf: (reference: number) => PythonObjectUse, textOf: (reference: number) => TextStream) {
    this.#useOf = useOf;
    this.#textOf = textOf;
  }

  numberOf(handle: HostObject): number {
    const known = this.#numbers.get(handle);
    if (known !== undefined) return known;
    const number = this.#host.push(handle) - 1;
    this.#numbers.set(handle, number);
    return number;
  }

  host(handle: number): HostObject {
    const found = this.#host[handle];
    if (found === undefined) throw new ComponentError(`There is no object ${handle} of this run.`);
    return found;
  }

  wrap(description: PythonObjectDescription): HostObject {
    const known = this.#wrapped.get(description.reference);
    if (known !== undefined) return known;
    checkCount(this.#wrapped.size);
    const wrapped = this.#wrapperOf(description);
    this.#wrapped.set(description.reference, wrapped);
    origins.set(wrapped, { lease: this, reference: description.reference });
    return wrapped;
  }

  /** Returns whether an object of Python can have a state that its users change: not a tool, and not a model. */
  canChange(reference: number): boolean {
    const kind = this.#wrapped.get(reference)?.kind;
    return kind === undefined || kind === 'part' || kind === 'retriever';
  }

  /** One stream for each reference: a component can return the same text in several outputs. */
  textStream(reference: number): TextStream {
    const known = this.#texts.get(reference);
    if (known !== undefined) return known;
    checkCount(this.#texts.size);
    const text = this.#textOf(reference);
    this.#texts.set(reference, text);
    return text;
  }

  referenceOf(value: HostObject): number | null {
    const origin = origins.get(value);
    if (origin === undefined) return null;
    if (origin.lease === this) return origin.reference;
    throw new ComponentError('An object of a Python process cannot be used after its run has ended.');
  }

  #wrapperOf({ kind, reference, description }: PythonObjectDescription): HostObject {
    const use = this.#useOf(reference);
    switch (kind) {
      case 'tool':
        return pythonTool(use, description, (value) => decodeValue(value, this));
      case 'model':
        return pythonModel(use, description);
      case 'embeddings':
        return pythonEmbeddings(use, description);
      case 'retriever':
        return pythonRetriever(use, (value) => decodeValue(value, this));
      case 'history':
        return pythonHistory(use);
      default:
        return pythonObject(description);
    }
  }
}

function checkCount(count: number): void {
  if (count >= maximumObjects) {
    throw new ComponentError(`The components of a run can return ${maximumObjects} objects of Python.`);
  }
}
