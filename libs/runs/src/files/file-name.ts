const LONGEST_NAME = 200;
const LONGEST_EXTENSION = 40;
/** What separates the parts of a path, and what no name shows. */
const UNPRESENTABLE = /[\p{Cc}/\\]/gu;

/** A file's name without and its extension with the dot. */
export interface FileName {
  readonly name: string;
  readonly extension: string;
}

/** Takes a name as its author gave it apart; what is no good in a path is replaced, and what is too long cut. */
export function fileName(given: string): FileName {
  const full = given.replaceAll(UNPRESENTABLE, '_').trim();
  const dot = full.lastIndexOf('.');
  const hasExtension = dot > 0 && dot < full.length - 1 && full.length - dot <= LONGEST_EXTENSION;
  const name = cut(hasExtension ? full.slice(0, dot) : full);
  // A dot and two dots mean something else in a path.
  return {
    name: /^\.{0,2}$/.test(name) ? 'file' : name,
    extension: hasExtension ? full.slice(dot) : '',
  };
}

/** At most the longest length, and no half of a character. */
function cut(text: string): string {
  return text.length <= LONGEST_NAME ? text : text.slice(0, LONGEST_NAME).replace(/[\uD800-\uDBFF]$/, '');
}
