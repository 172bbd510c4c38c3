const MAXIMUM_NAME_LENGTH = 255;
const MAXIMUM_EXTENSION_LENGTH = 40;
/** Path separators and control characters. */
const UNSAFE_CHARACTERS = /[\p{Cc}/\\]/gu;

/** A file's name without the dot, and its extension with the dot. */
export interface FileName {
  readonly name: string;
  readonly extension: string;
}

/** Splits a given name. Replaces characters that are unsafe in a path and truncates what is too long. */
export function fileName(given: string): FileName {
  const full = given.replaceAll(UNSAFE_CHARACTERS, '_').trim();
  const dot = full.lastIndexOf('.');
  const hasExtension = dot > 0 && dot < full.length - 1 && full.length - dot <= MAXIMUM_EXTENSION_LENGTH;
  const name = truncate(hasExtension ? full.slice(0, dot) : full);
  // "." and ".." have a special meaning in a path.
  return {
    name: /^\.{0,2}$/.test(name) ? 'file' : name,
    extension: hasExtension ? full.slice(dot) : '',
  };
}

/** Truncates to the maximum length without splitting a surrogate pair. */
function truncate(text: string): string {
  return text.length <= MAXIMUM_NAME_LENGTH
    ? text
    : text.slice(0, MAXIMUM_NAME_LENGTH).replace(/[\uD800-\uDBFF]$/, '');
}
