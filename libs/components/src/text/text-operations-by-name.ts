import { codePointOffset, Data, repr, strip } from '@millrace/flow';
import type { ComponentContext, PythonValue } from '@millrace/flow';
import { cleanText } from './clean-text';
import { compilePattern, foundValue, patternError } from './compile-pattern';
import { convertCase } from './convert-case';
import { countWords } from './count-words';
import type { TextOperationSettings } from './text-operation-inputs';
import { textTable } from './text-table';

/** What one operation makes of a text: a text, data or a table. */
export type TextOperation = (
  settings: TextOperationSettings,
  options: { readonly context: ComponentContext; readonly cleansNewlines: boolean },
) => PythonValue;

/** The operations on texts, by the names that flows save. */
export const textOperations: Readonly<Record<string, TextOperation>> = {
  'Text to DataFrame': ({ text_input, table_separator, has_header }, { context }) => {
    const table = textTable(text_input, { separator: table_separator, hasHeader: has_header });
    const size = `${table.rows.length} rows, ${table.columns.length} columns`;
    context.log(`Converted text to DataFrame: ${size}`);
    return table;
  },
  'Word Count': ({ text_input, count_words, count_characters, count_lines }) =>
    new Data(
      countWords(text_input, { words: count_words, characters: count_characters, lines: count_lines }),
    ),
  'Case Conversion': ({ text_input, case_type }) => convertCase(text_input, case_type),
  'Text Replace': ({ text_input, use_regex, search_pattern, replacement_text }) => {
    if (search_pattern === '') return text_input;
    return use_regex
      ? replaced(text_input, search_pattern, replacement_text)
      : text_input.replaceAll(search_pattern, () => replacement_text);
  },
  'Text Extract': ({ text_input, extract_pattern, max_matches }) =>
    extract_pattern === '' ? '' : extracted(text_input, extract_pattern, max_matches),
  'Text Head': ({ text_input, head_characters }) =>
    text_input.slice(0, codePointOffset(text_input, head_characters)),
  'Text Tail': ({ text_input, tail_characters }) =>
    tail_characters <= 0 ? '' : text_input.slice(codePointOffset(text_input, -tail_characters)),
  'Text Strip': ({ text_input, strip_mode, strip_characters }) =>
    strip(text_input, sideOf(strip_mode), strip_characters === '' ? undefined : strip_characters),
  'Text Join': ({ text_input, text_input_2 }) =>
    [text_input, text_input_2].filter((part) => part !== '').join('\n'),
  'Text Clean': (
    { text_input, remove_extra_spaces, remove_special_chars, remove_empty_lines },
    { cleansNewlines },
  ) => {
    const spaces = cleansNewlines ? 'removed' : 'removed in lines';
    return cleanText(text_input, {
      extraSpaces: remove_extra_spaces ? spaces : 'kept',
      specialCharacters: remove_special_chars ? 'removed' : 'kept',
      emptyLines: remove_empty_lines ? 'removed' : 'kept',
    });
  },
};

function replaced(text: string, pattern: string, replacement: string): string {
  try {
    return compilePattern(pattern).replaceAll(text, replacement);
  } catch (error) {
    throw patternError(error);
  }
}

function extracted(text: string, pattern: string, limit: number): string {
  try {
    const found = compilePattern(pattern).findAll(text, Math.max(0, limit)).map(foundValue);
    return found.map((value) => (typeof value === 'string' ? value : repr(value))).join('\n');
  } catch (error) {
    throw patternError(error);
  }
}

function sideOf(mode: string): 'both' | 'left' | 'right' {
  return mode === 'left' || mode === 'right' ? mode : 'both';
}
