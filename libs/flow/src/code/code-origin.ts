import type { NodeCode } from '../document/flow-document';
import { newestListedRelease } from './known-code';
import type { KnownCode } from './known-code';

/** Where the source of a node comes from. */
export type CodeOrigin =
  /** A published text, or a text about which nothing is known. */
  | 'known'
  /** According to the metadata, a text of a Langflow release that is not listed. */
  | 'unlisted'
  /** A text that the flow's author changed. */
  | 'edited';

/**
 * Determines where the source of a node comes from. A listed hash decides, because the metadata in Langflow's own files
 * is contradictory; the hash of the same text with moved imports counts, too. Without a listed hash, the metadata decides:
 *
 * - A text that does not match the recorded hash was changed by a program.
 * - A module of Langflow's packages shows that the editor loaded the text from there: every edit in the editor sets
 *   another module. `edited: true` together with such a module comes from an update that the author dismissed.
 * - A module of `custom_components` shows that the editor built the node from its text: after an edit, or when it
 *   updated or checked stock code, which keeps `edited: false`. The texts of listed releases are known, so `edited:
 *   false` is accepted only when a newer release built the node.
 *
 * The metadata is not verified. It only decides whether the stock component can run in place of the node's code.
 * Edited code runs only in Python, and only if the PythonPolicy allows it.
 *
 * `types` are the names under which the text can have been published: the node's type and those of its component.
 */
export function codeOrigin(types: readonly string[], code: NodeCode, known: KnownCode): CodeOrigin {
  if (code.hash === '' || known.has(types, code.hash)) return 'known';
  if (code.movedHashes().some((hash) => known.has(types, hash))) return 'known';
  // A hash without a text is no evidence for a type that was never published.
  if (!code.hasText && !known.hasType(types)) return 'known';
  if (code.recordedHash !== code.hash) {
    const isOld = code.recordedHash === '' && code.edited === false;
    return isOld && hasStockModule(code) ? 'unlisted' : 'edited';
  }
  if (hasStockModule(code)) return 'unlisted';
  const isUpdated =
    code.edited === false && hasEditorModule(code) && isNewer(code.builtBy, newestListedRelease);
  return isUpdated ? 'unlisted' : 'edited';
}

/**
 * Langflow's components are in `lfx.components`, in bundles such as `lfx_arxiv.components`, before 1.6 in `langflow`.
 */
function hasStockModule({ module }: NodeCode): boolean {
  return /^(?:langflow|lfx(?:_[a-z0-9_]+)?)\.(?:components|base)\./.test(module);
}

/** The module that the editor sets on a node that it built from its text. */
function hasEditorModule({ module }: NodeCode): boolean {
  return module.startsWith('custom_components.');
}

/** Compares releases such as `1.13.0`; returns false if either is not a release. */
function isNewer(version: string, release: string): boolean {
  const numbers = (text: string) => (/^\d{1,9}(?:\.\d{1,9})*/.exec(text)?.[0] ?? '').split('.').map(Number);
  const [ours, theirs] = [numbers(release), numbers(version)];
  for (let position = 0; position < Math.max(ours.length, theirs.length); position += 1) {
    const difference = (theirs[position] ?? 0) - (ours[position] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return false;
}
