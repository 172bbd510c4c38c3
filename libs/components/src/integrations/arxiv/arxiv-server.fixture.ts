import { fakeHandler, startFakeService } from '../http/fake-service.fixture';
import type { FakeHandler, FakeService } from '../http/fake-service.fixture';

const papers = [
  {
    id: '2301.00001v1',
    ti: 'Mills on quantum rivers',
    abs: 'We grind grain with qubits.',
    au: 'Ada Miller',
    cat: 'quant-ph',
  },
  { id: '2301.00002v2', ti: 'On bread', abs: 'Bread and mills, a survey.', au: 'Bob Baker', cat: 'cs.AI' },
] as const;

/** arXiv's query API: Atom, searched by field. */
export function createArXivHandler(): FakeHandler {
  return fakeHandler(({ path, query }) => {
    if (path !== '/api/query') return { status: 404 };
    const limit = Number(query.get('max_results') ?? 10);
    const wanted = query.get('search_query') ?? '';
    const [, field, words] = /^(?:(ti|abs|au|cat):)?(.*)$/s.exec(wanted) ?? [];
    const found = papers.filter((paper) => {
      const text =
        field === undefined ? Object.values(paper).join(' ') : paper[field as 'ti' | 'abs' | 'au' | 'cat'];
      return words !== undefined && words !== '' && text.toLowerCase().includes(words.toLowerCase());
    });
    return {
      headers: { 'content-type': 'application/atom+xml; charset=utf-8' },
      text: `<?xml version="1.0" encoding="UTF-8"?><feed xmlns="http://www.w3.org/2005/Atom"><title>ArXiv Query</title>${found.slice(0, limit).map(entryOf).join('')}</feed>`,
    };
  });
}

export function startArXiv(): Promise<FakeService> {
  return startFakeService(createArXivHandler());
}

function entryOf({ id, ti, abs, au, cat }: (typeof papers)[number]): string {
  return `<entry><id>http://arxiv.org/abs/${id}</id><updated>2023-01-02T00:00:00Z</updated><published>2023-01-01T00:00:00Z</published>
<title>${ti}</title><summary>  ${abs}
</summary><author><name>${au}</name></author><arxiv:comment xmlns:arxiv="http://arxiv.org/schemas/atom">9 pages</arxiv:comment>
<link href="http://arxiv.org/abs/${id}" rel="alternate" type="text/html"/><link title="pdf" href="http://arxiv.org/pdf/${id}" rel="related" type="application/pdf"/>
<arxiv:primary_category xmlns:arxiv="http://arxiv.org/schemas/atom" term="${cat}"/><category term="${cat}"/></entry>`;
}
