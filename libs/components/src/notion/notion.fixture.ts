import type { FakeService } from '../http/fake-service.fixture';
import { outputOf } from '../search/search.fixture';
import { notionSecret } from './notion-server.fixture';

/** Runs a Notion component and returns its data. */
export function dataOf(
  server: FakeService,
  type: string,
  values: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  const hosts = { 'api.notion.com': server };
  return outputOf(type, { notion_secret: notionSecret, ...values }, hosts, 'example_output');
}
