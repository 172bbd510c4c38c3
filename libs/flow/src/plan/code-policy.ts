import type { ComponentRegistry } from '../component/component';
import type { EditedCodeRule } from '../document/flow-document';
import { knownCode } from './known-code';
import type { CodeHashes, KnownCode } from './known-code';

/** How an installation judges the code that nodes carry. No policy lets that code run. */
export interface CodePolicy {
  readonly known: KnownCode;
  /** For flows whose owners set nothing else. */
  readonly editedCode: EditedCodeRule;
}

/** Only the texts that are listed here are published, and edited code is refused. */
export const defaultCodePolicy: CodePolicy = { known: knownCode(), editedCode: 'refuse' };

/** What an installation sets. */
export interface CodePolicySettings {
  /** Published texts beside those that are listed here. */
  readonly knownCode: CodeHashes;
  readonly editedCode: EditedCodeRule;
}

/** The same components under the code policy of an installation. */
export function withCodePolicy(
  registry: ComponentRegistry,
  { knownCode: more, editedCode }: CodePolicySettings,
): ComponentRegistry {
  return { ...registry, codePolicy: { known: knownCode(more), editedCode } };
}
