import type { NewFlow } from '../flows/flow-record';
import type { MessageRow } from '../messages/message-row';
import type { ApiKeyRecord } from '../users/api-key-record';
import type { UserRecord } from '../users/user-record';
import type { NewVariable } from '../variables/variable-record';

/** A user of another installation. */
export type ImportedUser = Pick<UserRecord, 'id' | 'username' | 'isAdmin' | 'createdAt' | 'folderId'>;

/** An API key of another installation; only its hash is known. */
export type ImportedKey = Omit<ApiKeyRecord, 'bounds'>;

export interface ImportedVariable extends NewVariable {
  readonly id: string;
  readonly userId: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface ImportedFlow extends NewFlow {
  readonly id: string;
  readonly updatedAt: Date;
}

export type ImportedMessage = MessageRow;

/** What became of a flow: `taken` when another user has its id. */
export type ImportedFlowState = 'added' | 'present' | 'taken';
