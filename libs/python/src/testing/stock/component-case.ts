import { Data, DataFrame, Message } from '@millrace/python-text';
import type { MessageFields, PythonObject, PythonValue } from '@millrace/python-text';

/** One run of a stock component: its settings and what is connected to it. */
export interface ComponentCase {
  readonly type: string;
  /** Unique among the cases of the type. */
  readonly name: string;
  /** Saved values by field; the others have the defaults of lfx. */
  readonly fields: PythonObject;
  /** Values of connected fields. */
  readonly wires: Readonly<Record<string, PythonValue | Several>>;
  readonly settings: CaseSettings;
}

/** What few cases need. */
export interface CaseSettings {
  /** The chat input of the run. */
  readonly input?: string;
  /** The outputs that are connected; all of the node by default. */
  readonly outputs?: readonly string[];
  /** Messages of the session before the run, oldest first. */
  readonly history?: readonly Message[];
  readonly variables?: Readonly<Record<string, string>>;
  /** Both results are known to differ. The case fails when they become equal, or differ in another way. */
  readonly difference?: NamedDifference;
}

export interface NamedDifference {
  /** Where the results differ first. */
  readonly at: string;
  readonly native: PythonValue;
  readonly python: PythonValue;
  readonly reason: string;
}

/** Several edges into one field, in order. */
export class Several {
  readonly values: readonly PythonValue[];

  constructor(values: readonly PythonValue[]) {
    this.values = values;
  }
}

export const several = (...values: readonly PythonValue[]): Several => new Several(values);

/** A row of a table of cases: name, fields, wires, settings. */
export type CaseRow = readonly [
  name: string,
  fields: PythonObject,
  wires?: ComponentCase['wires'],
  settings?: CaseSettings,
];

/** Returns the cases of one type. */
export function casesOf(type: string, rows: readonly CaseRow[]): readonly ComponentCase[] {
  return rows.map(([name, fields, wires = {}, settings = {}]) => ({ type, name, fields, wires, settings }));
}

/** Settings of a case in which both sides fail, or one of them, with these texts; null for none. */
export const failsDifferently = (
  type: string,
  native: string | null,
  python: string | null,
  reason: string,
): CaseSettings => {
  const whole = (text: string | null): string | null =>
    text === null ? null : `Error running graph: Error building Component ${type}: \n\n${text}`;
  return { difference: { at: 'failed', native: whole(native), python: whole(python), reason } };
};

export const data = (members: PythonObject, textKey = 'text'): Data => new Data(members, { textKey });

export const table = (...rows: readonly PythonObject[]): DataFrame => new DataFrame(rows);

export const message = (text: string, fields: Partial<MessageFields> = {}): Message =>
  new Message({ text, sender: 'User', senderName: 'Ann', ...fields });
