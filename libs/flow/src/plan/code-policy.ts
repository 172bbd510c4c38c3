import type { ComponentRegistry } from '../component/component';
import type { EditedCodeRule } from '../document/flow-document';
import { knownCode } from './known-code';
import type { CodeHashes, KnownCode } from './known-code';

/** How an installation handles the code in nodes. No policy lets that code run. */
export interface CodePolicy {
  readonly known: KnownCode;
  /** Applies to flows whose owners set no rule. */
  readonly editedCode: EditedCodeRule;
}

/** Only the built-in list counts as published, and edited code is refused. */
export const defaultCodePolicy: CodePolicy = { known: knownCode(), editedCode: 'refuse' };

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
