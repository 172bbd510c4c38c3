import { dropdown, integer, text } from '@millrace/flow';
import { Data } from '@millrace/python-text';
import type { PythonObject } from '@millrace/python-text';
import { callText } from '../integrations/http/call-service';
import { elements, firstElement, parseXml, texts } from '../parsing/markup/markup';
import type { Markup } from '../parsing/markup/markup';
import { defineSearch } from './define-search';

const fields: Readonly<Record<string, string>> = {
  title: 'ti:',
  abstract: 'abs:',
  author: 'au:',
  cat: 'cat:',
};
const maximumResults = 200;

export default defineSearch({
  type: 'ArXivComponent',
  displayName: 'arXiv',
  description: 'Searches for papers on arXiv.',
  inputs: {
    search_query: text({ displayName: 'Search Query', tool: true }),
    search_type: dropdown({
      displayName: 'Search Field',
      options: ['all', 'title', 'abstract', 'author', 'cat'],
      default: 'all',
    }),
    max_results: integer({ displayName: 'Max Results', default: 10 }),
  },
  table: { name: 'dataframe', method: 'search_papers_dataframe' },
  toolName: 'arxiv',
  resultsOf: (error) => [new Data({ error: `Request error: ${error}` })],
  find: async ({ search_query, search_type, max_results }, context) => {
    const answer = await callText(
      {
        service: 'arXiv',
        url: 'https://export.arxiv.org/api/query',
        query: {
          search_query: (fields[search_type] ?? '') + search_query,
          max_results: Math.min(maximumResults, Math.max(0, max_results)),
        },
      },
      context,
    );
    const entries = elements(await parseXml(answer, context.signal), ({ name }) => name === 'entry');
    return entries.map((entry) => new Data(paperOf(entry)));
  },
});

function paperOf(entry: Markup): PythonObject {
  const attributes = (name: string, attribute: string): readonly string[] =>
    elements(entry, (element) => element.name === name).map(({ attribs }) => attribs[attribute] ?? '');
  const link = (kind: string): string | null =>
    elements(entry, ({ name, attribs }) => name === 'link' && attribs['rel'] === kind)[0]?.attribs['href'] ??
    null;
  return {
    id: textOf(entry, 'id'),
    title: textOf(entry, 'title'),
    summary: textOf(entry, 'summary'),
    published: textOf(entry, 'published'),
    updated: textOf(entry, 'updated'),
    authors: elements(entry, ({ name }) => name === 'author').map((author) => textOf(author, 'name')),
    arxiv_url: link('alternate'),
    pdf_url: link('related'),
    comment: textOf(entry, 'arxiv:comment'),
    journal_ref: textOf(entry, 'arxiv:journal_ref'),
    primary_category: attributes('arxiv:primary_category', 'term')[0] ?? null,
    categories: attributes('category', 'term'),
  };
}

function textOf(parent: Markup, name: string): string | null {
  const element = firstElement(parent, name);
  const content = element === undefined ? '' : texts(element).join('').trim();
  return content === '' ? null : content;
}
