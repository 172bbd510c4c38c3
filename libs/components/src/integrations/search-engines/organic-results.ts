import { Data } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';
import { objectsMember, textMember } from '../http/json-members';

/**
 * Returns the results under a member of a search engine's answer, as data of title, link and snippet, each truncated.
 */
export function organicResults(
  answer: PythonValue,
  name: string,
  { results, characters }: { readonly results: number; readonly characters: number },
): readonly Data[] {
  return objectsMember(answer, name)
    .slice(0, Math.max(0, results))
    .map((result) => {
      const snippet = textMember(result, 'snippet');
      return new Data({
        title: textMember(result, 'title').slice(0, characters),
        link: textMember(result, 'link'),
        snippet: snippet.slice(0, characters),
        text: snippet,
      });
    });
}
