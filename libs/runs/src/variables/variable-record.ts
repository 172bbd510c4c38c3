/** A global variable, decrypted. */
export interface VariableRecord {
  readonly id: string;
  readonly userId: string;
  readonly name: string;
  /** 'Credential' or 'Generic'. */
  readonly type: string | null;
  readonly value: string;
  /** Fields of components that take it by default. */
  readonly defaultFields: readonly string[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export type NewVariable = Pick<VariableRecord, 'name' | 'value' | 'type' | 'defaultFields'>;

/** What to change; what is left out stays. */
export type VariableChanges = Partial<NewVariable>;
