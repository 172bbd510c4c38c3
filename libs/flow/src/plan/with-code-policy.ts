import type { ComponentRegistry } from '../component/component';
import type { EditedCodeRule } from '../document/flow-document';
import { knownCode } from '../code/known-code';
import type { CodeHashes } from '../code/known-code';

/** The settings of an installation. */
export interface CodePolicySettings {
  /** Published texts in addition to the built-in list. */
  readonly knownCode: CodeHashes;
  readonly editedCode: EditedCodeRule;
}

/** Returns the same components with the code policy of an installation. */
export function withCodePolicy(
  registry: ComponentRegistry,
  { knownCode: more, editedCode }: CodePolicySettings,
): ComponentRegistry {
  return { ...registry, codePolicy: { known: knownCode(more), editedCode } };
}
