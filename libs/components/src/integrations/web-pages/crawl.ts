import type { ComponentContext } from '@millrace/flow';
import { callHttp } from '../http/call-http';
import { HttpFailure } from '../http/http-failure';
import type { HttpAnswer } from '../http/http-call';
import { pageLinks } from './page-links';
import { readPage } from './web-page';
import type { PageRow } from './web-page';

const concurrentPages = 5;
const maximumBytes = 50 * 1_048_576;

export interface Crawl {
  readonly start: URL;
  /** 1 is the first page alone. */
  readonly depth: number;
  readonly maximumPages: number;
  /** Only links to the host of their page. */
  readonly preventOutside: boolean;
  readonly format: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMilliseconds: number;
  /** A page with an error status counts as a failure. */
  readonly checkStatus: boolean;
  /** Skip pages that fail. */
  readonly continueOnFailure: boolean;
}

/**
 * Reads a page and the pages it links to, level by level, each page once. Links to addresses that are not allowed are
 * skipped; such a first page is an HttpFailure.
 */
export async function crawl(task: Crawl, context: ComponentContext): Promise<readonly PageRow[]> {
  const rows: PageRow[] = [];
  const seen = new Set([task.start.href]);
  let bytes = 0;
  let level: readonly URL[] = [task.start];
  for (let depth = 1; depth <= task.depth && level.length > 0 && bytes < maximumBytes; depth += 1) {
    const next: URL[] = [];
    for (let index = 0; index < level.length && bytes < maximumBytes; index += concurrentPages) {
      const batch = level.slice(index, index + concurrentPages);
      const pages = await Promise.all(batch.map((address) => page(address, task, context)));
      for (const found of pages.filter((one) => one !== null)) {
        rows.push(found.row);
        bytes += found.bytes;
        for (const link of found.links) {
          if (seen.size >= task.maximumPages || seen.has(link.href)) continue;
          seen.add(link.href);
          next.push(link);
        }
      }
    }
    level = next;
  }
  return rows;
}

interface FoundPage {
  readonly row: PageRow;
  readonly bytes: number;
  readonly links: readonly URL[];
}

async function page(address: URL, task: Crawl, context: ComponentContext): Promise<FoundPage | null> {
  const answer = await loadPage(address, task, context);
  if (answer === null) return null;
  const { row, markup } = await readPage(answer, address, task.format, context.signal);
  const from = new URL(answer.url);
  const links =
    task.depth === 1
      ? []
      : pageLinks(markup, from).filter((link) => !task.preventOutside || link.host === from.host);
  return { row, bytes: answer.body.length, links };
}

async function loadPage(
  address: URL,
  { start, headers, timeoutMilliseconds, ...task }: Crawl,
  context: ComponentContext,
): Promise<HttpAnswer | null> {
  try {
    const answer = await callHttp({ service: 'URL', url: address, headers, timeoutMilliseconds }, context);
    if (!task.checkStatus || answer.status < 400) return answer;
    const problem = `${address.host} answered with status ${answer.status}.`;
    if (task.continueOnFailure) return null;
    throw new HttpFailure(problem, 'unreachable');
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error;
    if (error.reason === 'refused' ? address === start : !task.continueOnFailure) throw error;
    return null;
  }
}
