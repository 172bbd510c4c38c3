import { approvalRemedy, ComponentError, notApproved, reachedVertices, refusalError } from '@millrace/flow';
import type { ComponentContext, Plan, PythonVertices, VertexCall, VertexOutcome } from '@millrace/flow';
import { PythonRun } from '@millrace/python';
import type { AttemptPythonParts } from './executor-python';

export interface PythonOwner {
  readonly userId: string;
  readonly flowId: string;
}

/** The Python of one attempt, its sub-flows included. Costs nothing until a vertex runs in Python. */
export class AttemptPython implements PythonVertices {
  readonly #python: AttemptPythonParts;
  readonly #owner: PythonOwner;
  #version = 0;
  #run: PythonRun | null = null;
  #isClosed = false;

  constructor(python: AttemptPythonParts, owner: PythonOwner) {
    this.#python = python;
    this.#owner = owner;
  }

  /**
   * Checks the texts of the vertices that the run reaches. Throws a RunError `flow_refused` that names each vertex
   * without an approval; their texts are then recorded for a decision.
   */
  async refuseUnapproved(plan: Plan): Promise<void> {
    this.#version = plan.version;
    if (!plan.needsPython) return;
    const texts = reachedVertices(plan).flatMap((vertex) => {
      const source = vertex.problem === null ? (vertex.python?.source ?? null) : null;
      return source !== null && 'sha256' in source ? [{ vertex, source }] : [];
    });
    const refused = await this.#check(texts.map(({ source }) => source.sha256));
    const waiting = texts.filter(({ source }) => refused.has(source.sha256));
    if (waiting.length === 0) return;
    await this.#python.authorCode.submit(
      this.#owner.userId,
      waiting.map(({ vertex, source: { sha256, text } }) => ({
        sha256,
        code: text,
        componentType: vertex.type,
      })),
    );
    throw refusalError(waiting.map(({ vertex, source }) => notApproved(vertex, source.sha256)));
  }

  /**
   * Computes a vertex of the flow or of a sub-flow. A text that is not approved is refused here, too: an approval can be
   * withdrawn during a run.
   */
  async compute(call: VertexCall, context: ComponentContext): Promise<VertexOutcome> {
    await this.#refuseUnapprovedCall(call);
    const pool = await this.#python.openPool();
    // A process that is leased now would not be released.
    if (this.#isClosed) throw new ComponentError('The run has ended.');
    const { userId: ownerId, flowId } = this.#owner;
    this.#run ??= new PythonRun(pool, { ownerId, flowId, version: this.#version });
    return this.#run.compute(call, context);
  }

  /** The texts of sub-flows are checked here alone, so they are recorded for a decision here, too. */
  async #refuseUnapprovedCall({ source, type }: VertexCall): Promise<void> {
    if ('module' in source) return;
    const { sha256, text } = source;
    if (!(await this.#check([sha256])).has(sha256)) return;
    await this.#python.authorCode.submit(this.#owner.userId, [{ sha256, code: text, componentType: type }]);
    throw new ComponentError(`The Python text is not approved: ${approvalRemedy(sha256)}`);
  }

  /** Gives the process back. The outcome of the attempt does not wait for it. */
  close(): void {
    this.#isClosed = true;
    // A failed release ends the process; the pool logs and counts it.
    void this.#run?.close().catch(() => undefined);
  }

  async #check(hashes: readonly string[]): Promise<ReadonlySet<string>> {
    if (hashes.length === 0) return new Set();
    return new Set(await this.#python.approvedCode.missing(hashes));
  }
}
