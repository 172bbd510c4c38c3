import type { PythonValue } from '@millrace/python-text';
import type { PlanField } from '../document/plan-field';

/** The changes of one run to one vertex; edges take precedence over both members. */
export interface VertexOverrides {
  /** Tweaked fields, resolved like saved ones. */
  readonly fields: Map<string, PlanField>;
  /**
   * Values that are set as they are: the run's input, session and webhook payload. They take precedence over tweaks.
   */
  readonly values: Map<string, PythonValue>;
}

/** The changes of one run by vertex index; most vertices have none. */
export class RunOverrides {
  readonly #byVertex = new Map<number, VertexOverrides>();

  get(vertex: number): VertexOverrides | undefined {
    return this.#byVertex.get(vertex);
  }

  setField(vertex: number, field: PlanField): void {
    this.#at(vertex).fields.set(field.name, field);
  }

  setValue(vertex: number, name: string, value: PythonValue): void {
    this.#at(vertex).values.set(name, value);
  }

  #at(vertex: number): VertexOverrides {
    let overrides = this.#byVertex.get(vertex);
    if (overrides === undefined) {
      overrides = { fields: new Map(), values: new Map() };
      this.#byVertex.set(vertex, overrides);
    }
    return overrides;
  }
}
