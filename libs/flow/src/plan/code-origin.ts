import type { NodeCode } from '../document/flow-document';
import { newestListedRelease } from './known-code';
import type { KnownCode } from './known-code';

/** Where the source of a node comes from. */
export type CodeOrigin =
  /** A published text, or nothing is known of it. */
  | 'known'
  /** By the marks of the file, a text that Langflow ships, of a release that is not listed. */
  | 'unlisted'
  /** Its author's own. */
  | 'edited';

/**
 * Where the source of a node comes from. A listed hash decides, since files of Langflow's own contradict each mark.
 * Without one the marks decide together:
 *
 * - A text that is not the one of the recorded hash was changed by a program.
 * - A module of Langflow's packages shows that the editor loaded the text from there: every edit of the text in the
 *   editor gives the node another module. `edited: true` beside it comes from an update that the author dismissed.
 * - A module of `custom_components` shows that the editor built the node from its text: after an edit, or when it
 *   updated or checked stock code, which keeps `edited: false`. The texts of listed releases are known, so that
 *   `edited: false` counts only when a newer release built the node.
 *
 * The marks are the file's word: they let our component run in the node's place, and never the text itself.
 *
 * `types` are the names under which the text may have been published: the node's type and those of its component.
 */
export function codeOrigin(types: readonly string[], code: NodeCode, known: KnownCode): CodeOrigin {
  if (code.hash === '' || known.has(types, code.hash)) return 'known';
  // A hash alone says nothing of a type that was never published.
  if (!code.isCarried && !known.hasType(types)) return 'known';
  if (code.recordedHash !== code.hash) {
    const isOld = code.recordedHash === '' && code.edited === false;
    return isOld && hasStockModule(code) ? 'unlisted' : 'edited';
  }
  if (hasStockModule(code)) return 'unlisted';
  const isUpdated =
    code.edited === false && hasEditorModule(code) && isNewer(code.builtBy, newestListedRelease);
  return isUpdated ? 'unlisted' : 'edited';
}

/** Components of Langflow are in `lfx.components`, in bundles such as `lfx_arxiv.components`, before 1.6 in `langflow`. */
function hasStockModule({ module }: NodeCode): boolean {
  return /^(?:langflow|lfx(?:_[a-z0-9_]+)?)\.(?:components|base)\./.test(module);
}

/** What the editor gives a node that it built from its text. */
function hasEditorModule({ module }: NodeCode): boolean {
  return module.startsWith('custom_components.');
}

/** Compares releases such as `1.13.0`; false for what is none. */
function isNewer(version: string, release: string): boolean {
  const numbers = (text: string) => (/^\d{1,9}(?:\.\d{1,9})*/.exec(text)?.[0] ?? '').split('.').map(Number);
  const [ours, theirs] = [numbers(release), numbers(version)];
  for (let place = 0; place < Math.max(ours.length, theirs.length); place += 1) {
    const difference = (theirs[place] ?? 0) - (ours[place] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return false;
}
