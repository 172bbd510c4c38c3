import { ComponentError, defineComponent, text } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import { Data, Message, repr } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';
import { foundValue, searchText } from '../parsing/compile-pattern';
import { runInSlices } from '../parsing/run-in-slices';

export default defineComponent({
  type: 'RegexExtractorComponent',
  displayName: 'Regex Extractor',
  description: 'Finds the matches of a regular expression in a text.',
  inputs: {
    input_text: text({ displayName: 'Input Text', required: true }),
    pattern: text({ displayName: 'Regex Pattern', required: true, tool: true }),
  },
  outputs: {
    data: { types: ['Data', 'JSON'], displayName: 'Data', method: 'extract_matches' },
    text: { types: ['Message'], displayName: 'Message', method: 'get_matches_text' },
  },
  deterministic: true,
  run: async ({ input_text, pattern }, context) => {
    const found = await matchesOf(input_text, pattern, context);
    const data = found instanceof ComponentError ? [new Data({ error: found.message })] : dataOf(found);
    const message = new Message({ text: found instanceof ComponentError ? found.message : textOf(found) });
    context.status(context.wants('data') ? data : message);
    return {
      ...(context.wants('data') ? { data } : {}),
      ...(context.wants('text') ? { text: message } : {}),
    };
  },
});

async function matchesOf(
  content: string,
  pattern: string,
  { signal }: ComponentContext,
): Promise<readonly PythonValue[] | ComponentError> {
  if (pattern === '' || content === '') return [];
  try {
    const found = await runInSlices(
      searchText(content, pattern, (regex) => regex.findAll(content)),
      signal,
    );
    return found.map(foundValue).filter((value) => value !== '');
  } catch (error) {
    if (error instanceof ComponentError) return error;
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
