import type { EditedCodeRule } from '../document/flow-document';
import { knownCode } from './known-code';
import type { KnownCode } from './known-code';

/** How an installation handles the code in nodes. The PythonPolicy decides whether edited code can run in Python. */
export interface CodePolicy {
  readonly known: KnownCode;
  /** Applies to flows whose owners set no rule. */
  readonly editedCode: EditedCodeRule;
}

/** Only the built-in list counts as published, and edited code is refused. */
export const defaultCodePolicy: CodePolicy = { known: knownCode(), editedCode: 'refuse' };
