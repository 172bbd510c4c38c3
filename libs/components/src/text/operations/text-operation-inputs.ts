import { boolean, dropdown, integer, text } from '@millrace/flow';
import type { InputValues } from '@millrace/flow';
import { textCases } from './convert-case';

/** The inputs of all operations on texts; each operation uses some of them. */
export const textOperationInputs = {
  text_input: text({ displayName: 'Text Input', multiline: true }),
  table_separator: text({ displayName: 'Table Separator', plain: true, default: '|' }),
  has_header: boolean({ displayName: 'Has Header', default: true, advanced: true }),
  count_words: boolean({ displayName: 'Count Words', default: true, advanced: true }),
  count_characters: boolean({ displayName: 'Count Characters', default: true, advanced: true }),
  count_lines: boolean({ displayName: 'Count Lines', default: true, advanced: true }),
  case_type: dropdown({ displayName: 'Case Type', options: textCases, default: 'lowercase' }),
  use_regex: boolean({ displayName: 'Use Regex' }),
  search_pattern: text({ displayName: 'Search Pattern', plain: true }),
  replacement_text: text({ displayName: 'Replacement Text', plain: true }),
  extract_pattern: text({ displayName: 'Extract Pattern', plain: true }),
  max_matches: integer({ displayName: 'Max Matches', default: 10 }),
  head_characters: integer({ displayName: 'Characters from Start', default: 100 }),
  tail_characters: integer({ displayName: 'Characters from End', default: 100 }),
  strip_mode: dropdown({ displayName: 'Strip Mode', options: ['both', 'left', 'right'], default: 'both' }),
  strip_characters: text({ displayName: 'Characters to Strip', plain: true }),
  text_input_2: text({ displayName: 'Second Text Input', multiline: true }),
  remove_extra_spaces: boolean({ displayName: 'Remove Extra Spaces', default: true }),
  remove_special_chars: boolean({ displayName: 'Remove Special Characters' }),
  remove_empty_lines: boolean({ displayName: 'Remove Empty Lines' }),
};

export type TextOperationSettings = InputValues<typeof textOperationInputs>;
