import { ComponentError } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import { checkTextLength, codePointOffset, Data, DataFrame, repr, strip } from '@millrace/python-text';
import type { PythonValue, RegexMatch } from '@millrace/python-text';
import { cleanText } from './clean-text';
import { foundValue, searchText } from '../../parsing/compile-pattern';
import { convertCase } from './convert-case';
import { countWords } from './count-words';
import { runInSlices } from '../../parsing/run-in-slices';
import type { InterruptibleWork } from '../../parsing/run-in-slices';
import type { TextOperationSettings } from './text-operation-inputs';
import { textTable } from './text-table';

/** Applies one operation to a text; returns a text, data or a table. */
export type TextOperation = (
  settings: TextOperationSettings,
  options: { readonly context: ComponentContext; readonly cleansNewlines: boolean },
) => PythonValue | Promise<PythonValue>;

/** The operations on texts, by the names in flow files. */
export const textOperations: Readonly<Record<string, TextOperation>> = {
  'Text to DataFrame': async ({ text_input, table_separator, has_header }, { context }) => {
    const options = { separator: table_separator, hasHeader: has_header };
    if (strip(text_input) === '') return new DataFrame([]);
    const table = await runInSlices(textTable(text_input, options), context.signal);
    const size = `${table.rows.length} rows, ${table.columns.length} columns`;
    context.log(`Converted text to DataFrame: ${size}`);
    return table;
  },
  'Word Count': async ({ text_input, count_words, count_characters, count_lines }, { context }) => {
    const counted = { words: count_words, characters: count_characters, lines: count_lines };
    return new Data(await runInSlices(countWords(text_input, counted), context.signal));
  },
  'Case Conversion': ({ text_input, case_type }, { context }) =>
    runInSlices(convertCase(text_input, case_type), context.signal),
  'Text Replace': ({ text_input, use_regex, search_pattern, replacement_text }, { context }) => {
    if (search_pattern === '') return text_input;
    return use_regex
      ? replacedOrLogged(text_input, search_pattern, replacement_text, context)
      : textReplaced(text_input, search_pattern, replacement_text);
  },
  'Text Extract': ({ text_input, extract_pattern, max_matches }, { context }) =>
    extract_pattern === ''
      ? ''
      : runInSlices(extracted(text_input, extract_pattern, max_matches), context.signal),
  'Text Head': ({ text_input, head_characters }) => {
    checkCount('Start', text_input, head_characters);
    return text_input.slice(0, codePointOffset(text_input, head_characters));
  },
  'Text Tail': ({ text_input, tail_characters }) => {
    checkCount('End', text_input, tail_characters);
    return tail_characters === 0 ? '' : text_input.slice(codePointOffset(text_input, -tail_characters));
  },
  'Text Strip': ({ text_input, strip_mode, strip_characters }) =>
    strip(text_input, sideOf(strip_mode), strip_characters === '' ? undefined : strip_characters),
  'Text Join': ({ text_input, text_input_2 }) =>
    [text_input, text_input_2].filter((part) => part !== '').join('\n'),
  'Text Clean': (
    { text_input, remove_extra_spaces, remove_special_chars, remove_empty_lines },
    { context, cleansNewlines },
  ) => {
    const spaces = cleansNewlines ? 'removed' : 'removed in lines';
    const cleaned = cleanText(text_input, {
      extraSpaces: remove_extra_spaces ? spaces : 'kept',
      specialCharacters: remove_special_chars ? 'removed' : 'kept',
      emptyLines: remove_empty_lines ? 'removed' : 'kept',
    });
    return runInSlices(cleaned, context.signal);
  },
};

function textReplaced(text: string, searched: string, replacement: string): string {
  const parts = text.split(searched);
  const length = text.length + (parts.length - 1) * (replacement.length - searched.length);
  if (length > text.length) checkTextLength(length);
  return parts.join(replacement);
}

/** An invalid pattern leaves the text as it is; the log says so. */
async function replacedOrLogged(
  text: string,
  pattern: string,
  replacement: string,
  context: ComponentContext,
): Promise<string> {
  try {
    return await runInSlices(replaced(text, pattern, replacement), context.signal);
  } catch (error) {
    if (!isInvalidPattern(error)) throw error;
    context.log(error.message);
    return text;
  }
}

function replaced(text: string, pattern: string, replacement: string): InterruptibleWork<string> {
  return searchText(text, pattern, (regex) => regex.replaceAll(text, replacement));
}

function* extracted(text: string, pattern: string, limit: number): InterruptibleWork<string> {
  try {
    const found = yield* searchText(text, pattern, (regex) => regex.findAll(text, limit));
    return found.map(foundText).join('\n');
  } catch (error) {
    if (!isInvalidPattern(error)) throw error;
    const reason = error.message.slice(invalidPattern.length);
    throw new ComponentError(`Invalid regex pattern '${pattern}': ${reason}`, error);
  }
}

const invalidPattern = 'Invalid regex pattern: ';

function isInvalidPattern(error: unknown): error is ComponentError {
  return error instanceof ComponentError && error.message.startsWith(invalidPattern);
}

/** Several groups are the text of Python's tuple. */
function foundText(match: RegexMatch): string {
  const value = foundValue(match);
  return typeof value === 'string' ? value : `(${(value as readonly PythonValue[]).map(repr).join(', ')})`;
}

function checkCount(side: 'Start' | 'End', text: string, count: number): void {
  if (text === '' || count >= 0) return;
  throw new ComponentError(`Characters from ${side} must be a non-negative integer, got ${count}`);
}

function sideOf(mode: string): 'both' | 'left' | 'right' {
  return mode === 'left' || mode === 'right' ? mode : 'both';
}
