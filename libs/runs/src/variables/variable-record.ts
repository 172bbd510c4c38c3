/** A global variable, decrypted. */
export interface VariableRecord {
  readonly id: string;
  readonly userId: string;
  readonly name: string;
  /** 'Credential' or 'Generic'. */
  readonly type: string | null;
  /** Null when no encryption key opens it. */
  readonly value: string | null;
  /** Component fields that use the variable by default. */
  readonly defaultFields: readonly string[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export type NewVariable = Pick<VariableRecord, 'name' | 'type' | 'defaultFields'> & {
  readonly value: string;
};

/** The fields to change; omitted fields stay unchanged. */
export type VariableChanges = Partial<NewVariable>;
