import { ComponentError, Data, defineComponent, Message, repr, text } from '@millrace/flow';
import type { PythonValue } from '@millrace/flow';
import { compilePattern, foundValue, patternError } from './compile-pattern';

export default defineComponent({
  type: 'RegexExtractorComponent',
  displayName: 'Regex Extractor',
  description: 'Finds what a regular expression matches in a text.',
  inputs: {
    input_text: text({ displayName: 'Input Text', required: true }),
    pattern: text({ displayName: 'Regex Pattern', required: true, tool: true }),
  },
  outputs: {
    data: { types: ['Data', 'JSON'], displayName: 'Data', method: 'extract_matches' },
    text: { types: ['Message'], displayName: 'Message', method: 'get_matches_text' },
  },
  deterministic: true,
  run: ({ input_text, pattern }, context) => {
    const found = matchesOf(input_text, pattern);
    const data = found instanceof ComponentError ? [new Data({ error: found.message })] : dataOf(found);
    const message = new Message({ text: found instanceof ComponentError ? found.message : textOf(found) });
    context.status(context.wants('data') ? data : message);
    return {
      ...(context.wants('data') ? { data } : {}),
      ...(context.wants('text') ? { text: message } : {}),
    };
  },
});

function matchesOf(text: string, pattern: string): readonly PythonValue[] | ComponentError {
  if (pattern === '' || text === '') return [];
  try {
    const found = compilePattern(pattern).findAll(text).map(foundValue);
    return found.filter((value) => value !== '');
  } catch (error) {
    const reason = patternError(error);
    if (reason instanceof ComponentError) return reason;
    throw error;
  }
}

function dataOf(found: readonly PythonValue[]): readonly Data[] {
  return found.map((match) => new Data({ match }));
}

function textOf(found: readonly PythonValue[]): string {
  if (found.length === 0) return 'No matches found';
  return found.map((match) => (typeof match === 'string' ? match : repr(match))).join('\n');
}
